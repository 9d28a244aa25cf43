"""One event or subscription that asks for too much is given up after so much work, counted; the
others are served.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tocsin.engine.detection import join
from tocsin.engine.detection.base import COMBINE_COST, EMIT_COST, STEP_WORK_LIMIT
from tocsin.engine.detection.scheduling.step_failures import MAX_ABORTED_STEPS
from tocsin.engine.graphs import work
from tocsin.engine.graphs.link_pairs import Relation
from tocsin.engine.graphs.solver import Solver
from tocsin.events.codecs.base.cloudevents import MAX_BYTES, MAX_DEPTH
from tocsin.events.dead_letter import DeadLetter
from tocsin.plan.semantics import occurrence

TO, KIND = "<http://x/to>", "<http://x/V>"


class Count:
    """How often something was done."""

    def __init__(self) -> None:
        self.value = 0

    def taken(self) -> int:
        """What was counted since this was asked last."""
        value, self.value = self.value, 0
        return value


def counted(patch: pytest.MonkeyPatch, owner: Any, name: str) -> Count:
    """Counts the calls of a function or method."""
    count, original = Count(), getattr(owner, name)

    def call(*given: Any, **named: Any) -> Any:
        count.value += 1
        return original(*given, **named)

    patch.setattr(owner, name, call)
    return count


def event(id: str, kind: str, second: int = 0, **data: Any) -> dict[str, Any]:
    return event_json(id, second=second, data={"kind": kind, **data})


@pytest.fixture
def hub() -> Iterator[tocsin.Hub]:
    """A hub with a canary that rings for every event."""
    with tocsin.Hub(lateness="0s") as made:
        made.subscribe("ce_id <> ''", id="canary")
        yield made


def canaries(found: list[tocsin.Match]) -> int:
    return sum(match.subscription == "canary" for match in found)


def clique(size: int) -> str:
    """Every vertex leads to every one that is named after it."""
    names = [f"?v{number}" for number in range(size)]
    arcs = [f"({one}, {other}, ({KIND}, {TO}, {KIND}))" for one, other in combinations(names, 2)]
    return " ".join([f"(_:H, ?v0, (<http://x/Home>, {TO}, {KIND}))", *arcs])


def parties(vertices: int, count: int) -> str:
    """All lead to all but those of their own party: no clique is larger than the number of
    parties.
    """
    arcs = [
        f":v{one} a :V ; :to {', '.join(f':v{two}' for two in range(vertices) if two % count != one % count)} ."
        for one in range(vertices)
    ]
    return f"@prefix : <http://x/> . <urn:ops:H> a :Home ; :to :v0 . {' '.join(arcs)}"


@pytest.mark.parametrize("size", [10, 14])
def test_a_clique_that_is_not_there(
    hub: tocsin.Hub, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    asked = counted(monkeypatch, Relation, "joins")
    looks = counted(monkeypatch, Solver, "_images")
    hub.subscribe(clique(size), language="graph", id="hard")
    given = {**event("1", ""), "datacontenttype": "text/turtle", "data": parties(40, size - 1)}
    assert canaries(hub.publish(given)) == 1
    assert [letter.code for letter in hub.dead_letters] == ["LIMIT"]
    assert "undecided" in hub.dead_letters[0].reason
    assert 0 < asked.value <= 4 * work.LIMIT
    assert looks.value * size * (size - 1) // 2 <= work.LIMIT


def test_everything_with_everything(hub: tocsin.Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three kinds under `globe`: what waits grows, and so does what one event would be combined
    with.
    """
    limit = STEP_WORK_LIMIT // 50
    monkeypatch.setattr("tocsin.engine.detection.base.STEP_WORK_LIMIT", limit)
    tried = counted(monkeypatch, join, "combine")
    told: list[DeadLetter] = []
    kinds = " & ".join(f"selector{{ kind = '{kind}' }}" for kind in "abc")
    hub.subscribe(kinds, language="concept", policy="globe", id="globe", problems_to=told.append)
    rung = 0
    for number in range(200):
        tried.taken()
        found = hub.publish(event(f"e{number}", "abc"[number % 3], number))
        rung += canaries(found)
        assert tried.value <= 2 * limit // COMBINE_COST  # two joins
        assert len(found) - canaries(found) <= limit // (COMBINE_COST + EMIT_COST)
    assert rung == 200
    undecided = [letter for letter in hub.dead_letters if letter.code == "LIMIT"]
    assert "undecided: subscription 'globe'" in undecided[0].reason
    assert len(undecided) == MAX_ABORTED_STEPS
    assert [letter.code for letter in told] == ["QueueLimitExceeded"]


@pytest.mark.parametrize(
    ("where", "work"),
    [("x.v + y.v = z.v + 1000", 4 * 7), ("DISTANCE(x, z) < 5", 20)],
)
def test_comparisons_of_a_rule_are_counted_by_what_they_take(
    hub: tocsin.Hub, monkeypatch: pytest.MonkeyPatch, where: str, work: int
) -> None:
    limit = STEP_WORK_LIMIT // 50
    monkeypatch.setattr("tocsin.engine.detection.base.STEP_WORK_LIMIT", limit)
    asked = counted(monkeypatch, join, "meets")
    rule = f"WHEN x: a THEN y: a THEN z: a WHERE {where}"
    hub.subscribe(rule, language="rule", policy="unrestricted", horizon="1h", id="where")
    for number in range(60):
        asked.taken()
        hub.publish({**event(f"e{number}", "a", number, v=number), "type": "a"})
        assert asked.value <= limit // work
    assert {letter.code for letter in hub.dead_letters} >= {"LIMIT"}


def test_what_is_too_much_once_still_waits_and_is_combined_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "tocsin.engine.detection.base.STEP_WORK_LIMIT", 3 * (COMBINE_COST + EMIT_COST + 1)
    )
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(
        "selector{ kind = 'a' } Before selector{ kind = 'b' }",
        language="concept",
        policy="globe",
        horizon="10s",
        id="s",
    )
    found: list[tocsin.Match] = []
    for id, kind, second in [
        ("a1", "a", 1),
        ("a2", "a", 2),
        ("a3", "a", 3),
        ("a4", "a", 9),
        ("b1", "b", 10),
    ]:
        found += hub.publish(event(id, kind, second))
    found += hub.publish(event("b2", "b", 15), event("z", "z", 20))
    assert {match.events for match in found if "b1" in match.events} <= {
        (f"a{n}", "b1") for n in range(1, 5)
    }
    assert [match.events for match in found if "b2" in match.events] == [("a4", "b2")]
    assert [letter.code for letter in hub.dead_letters] == ["LIMIT"]


def lists(size: int) -> dict[str, list[str]]:
    return {role: [f"{role}{number}" for number in range(size)] for role in ("p", "q", "r")}


@pytest.mark.parametrize(("size", "rings"), [(20, True), (60, False), (1000, False)])
def test_several_lists_multiply(
    hub: tocsin.Hub, monkeypatch: pytest.MonkeyPatch, size: int, rings: bool
) -> None:
    made = counted(monkeypatch, occurrence, "_united")
    hub.subscribe(
        "(exists kind.{a}) Before (exists kind.{b}) correlate by p, q, r",
        language="concept",
        id="lists",
    )
    found = hub.publish(event("1", "a", 1, **lists(size))) + hub.publish(
        event("2", "b", 2, **lists(size))
    )
    found += hub.advance_to("2026-01-01T01:00:00Z")
    assert canaries(found) == 2
    assert (len(found) - 2, any(letter.code == "LIMIT" for letter in hub.dead_letters)) == (
        rings,
        not rings,
    )
    assert made.value <= 3 * STEP_WORK_LIMIT


def test_eight_thousand_elements_are_found_by_value(
    hub: tocsin.Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch, occurrence, "_united")
    hub.subscribe(
        "(exists kind.{a}) Before (exists kind.{b}) correlate by p", language="concept", id="lists"
    )
    epcs = [f"urn:epc:id:sgtin:{number}" for number in range(8000)]
    hub.publish(event("1", "a", 1, p=epcs), event("2", "b", 2, p=epcs[::-1]))
    found = hub.advance_to("2026-01-01T01:00:00Z")
    assert [match.events for match in found] == [("1", "2")]
    assert made.value <= 3 * 8000


def test_what_waits_for_the_watermark_is_limited_and_told() -> None:
    hub = tocsin.Hub(lateness="1h", queue_limit=10)
    hub.subscribe(
        "=|(selector{ kind = 'a' }; 10s)selector{ kind = 'b' }", language="opsl", id="pair"
    )
    found = []
    for number in range(40):
        found += hub.publish(event(f"e{number}", "ab"[number % 2], number))
        assert len(hub._core._sequencer) <= 10
    assert {letter.code for letter in hub.dead_letters} == {"QueueLimitExceeded"}
    hub.dead_letters.clear()
    assert [match.events for match in found] == [
        (f"e{number}", f"e{number + 1}") for number in range(0, 30, 2)
    ]
    hub.publish(event("behind", "a", 0))
    assert [letter.code for letter in hub.dead_letters] == ["LateEvent"]


def test_a_batch_that_the_watermark_passes_is_no_crowd() -> None:
    hub = tocsin.Hub(lateness="0s", queue_limit=10)
    hub.subscribe(
        "=|(selector{ kind = 'a' }; 10s)selector{ kind = 'b' }", language="opsl", id="pair"
    )
    hub.publish(*(event(f"e{number}", "ab"[number % 2], number) for number in range(40)))
    assert not hub.dead_letters


def doubled(levels: int) -> Any:
    """Small in memory, since both halves are one object; as text twice as large with every
    level.
    """
    value: Any = "x"
    for _ in range(levels):
        value = [value, value]
    return value


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "data",
    [
        {"many": doubled(60)},
        {"long": "x" * (MAX_BYTES + 1)},
        {"list": list(range(MAX_BYTES // 2))},
        {f"name{number}": None for number in range(MAX_BYTES // 8)},
        {"deep": nested(MAX_DEPTH)},
    ],
    ids=["doubled", "long", "list", "names", "deep"],
)
@pytest.mark.parametrize("epcis", [False, True])
def test_limits_hold_for_objects_in_memory(
    hub: tocsin.Hub, data: dict[str, Any], epcis: bool
) -> None:
    if epcis:
        bomb: dict[str, Any] = {"type": "ObjectEvent", "eventTime": "2026-01-01T00:00:00Z", **data}
    else:
        bomb = {**event("bomb", "a"), "data": data}
    assert canaries(hub.publish(bomb, event("next", "a"))) == 1
    assert [letter.code for letter in hub.dead_letters] == ["EventLimitError"]


@pytest.mark.parametrize(
    "path",
    [
        "//b/preceding-sibling::b[following-sibling::b/preceding-sibling::b]",
        "//b[preceding-sibling::b[following-sibling::b]]",
        "//b/preceding-sibling::b/following-sibling::b/preceding-sibling::b",
        "//b[following::b/preceding::b]",
        "//b[. = preceding-sibling::b]",
    ],
)
def test_xpath_that_looks_along_siblings_again_and_again(hub: tocsin.Hub, path: str) -> None:
    """What it can cost is known before it is asked, so that libxml2 never hears of it."""
    hub.subscribe(f'WHERE XPATH "{path}"', language="exmlql", id="hard")
    given = {
        **event("1", ""),
        "datacontenttype": "application/xml",
        "data": f"<a>{'<b/>' * 2000}</a>",
    }
    assert canaries(hub.publish(given)) == 1
    assert [letter.code for letter in hub.dead_letters] == ["LIMIT"]
