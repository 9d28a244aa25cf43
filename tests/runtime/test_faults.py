"""Faults of ours, injected: one event or one subscription that raises harms nobody else, wherever
it raises.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tocsin
from tests.builders import event_json
from tocsin.catalog import Subscription, compile_subscription
from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import Batch, EventBatch
from tocsin.engine.concepts.matcher import ConceptMatcher
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.detection.absence_after import DeadlineBuffer
from tocsin.engine.detection.join import JoinOperator
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.engine.xml.matcher import BlockMatcher
from tocsin.errors import EventProblem
from tocsin.events.codecs.decode import decode_all
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event
from tocsin.plan.semantics.match_rendering import MatchRenderer
from tocsin.runtime import guarded
from tocsin.runtime.containment import MAX_FAILURES
from tocsin.values.time import parse_instant

POISON = "poison"
LATER = "2026-01-02T00:00:00Z"

ATOMS = {
    "selector": ("kind = 'a'", Matcher),
    "graph": ("(_:H, 'a', (owl:Thing, <urn:tocsin:vocabulary:kind>, xsd:string))", GraphMatcher),
    "concept": ("ObjectEvent", ConceptMatcher),
    "exmlql": ("WHERE <kind>a</>", BlockMatcher),
}
"""A subscription of each family that rings for everything below, and the matcher of the family."""


def event(id: str, second: int = 0, kind: str = "a", **data: Any) -> dict[str, Any]:
    return event_json(id, "ObjectEvent", second, data={"kind": kind, **data})


def hub_of_all(heard: list[tocsin.Match]) -> tocsin.Hub:
    hub = tocsin.Hub(lateness="0s")
    for language, (expression, _) in ATOMS.items():
        hub.subscribe(expression, language=language, id=language, to=heard.append)
    return hub


def raise_for_poison(matcher: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The matcher raises for every batch that holds the poison."""
    match = matcher.match

    def matched(self: Any, batch: EventBatch) -> Any:
        if len(self) and any(batch.event(i).id == POISON for i in range(batch.size)):
            raise TypeError("what is this?")
        return match(self, batch)

    monkeypatch.setattr(matcher, "match", matched)


def by_subscription(matches: Iterable[tocsin.Match]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match in matches:
        found.setdefault(match.subscription, []).extend(match.events)
    return found


def test_every_family_rings_here() -> None:
    heard: list[tocsin.Match] = []
    hub_of_all(heard).publish(event("e"))
    assert sorted(by_subscription(heard)) == sorted(ATOMS)


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("family", ATOMS)
def test_an_event_that_raises_in_one_family_is_served_to_the_others(
    family: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tocsin.Match] = []
    hub = hub_of_all(heard)
    raise_for_poison(ATOMS[family][1], monkeypatch)
    ids = [f"e{number:02}" for number in range(count)]
    hub.publish(*map(event, ids[: count // 2]), event(POISON), *map(event, ids[count // 2 :]))
    found = by_subscription(heard)
    assert sorted(found) == sorted(ATOMS)
    for each, events in found.items():
        assert events == (ids if each == family else [*ids, POISON])
    (letter,) = hub.dead_letters
    assert letter.code == "InternalError"
    assert letter.input == '{"source": "s", "id": "poison"}'
    assert f"{family!r}" in letter.reason
    assert "TypeError: what is this? at tocsin/" in letter.reason


def test_an_event_that_nobody_could_be_served_with_may_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub = tocsin.Hub()
    hub.subscribe("kind = 'a'", id="only")
    with monkeypatch.context() as patch:
        raise_for_poison(Matcher, patch)
        assert len(hub.publish(event("e"), event(POISON))) == 1
    assert [match.events for match in hub.publish(event("e"), event(POISON))] == [(POISON,)]
    assert hub.counts.duplicates == 1


def test_what_was_served_to_some_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tocsin.Match] = []
    hub = hub_of_all(heard)
    with monkeypatch.context() as patch:
        raise_for_poison(GraphMatcher, patch)
        hub.publish(event(POISON))
    count = len(heard)
    hub.publish(event(POISON))
    assert (count, len(heard)) == (3, 3)


def raise_for_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    """The subscription `bad` raises for every event."""
    before = AtomMatchers.match

    def match(self: AtomMatchers, batch: EventBatch) -> Any:
        if "bad" in self:
            raise ValueError("min() arg is an empty sequence")
        return before(self, batch)

    monkeypatch.setattr(AtomMatchers, "match", match)


def test_a_subscription_that_raises_for_every_event_is_suspended_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub, heard, told = tocsin.Hub(), [], []
    hub.subscribe("kind = 'a'", id="good", to=heard.append)
    hub.subscribe("n > 0", id="bad", to=heard.append, problems_to=told.append)
    raise_for_bad(monkeypatch)
    hub.publish(*(event(f"e{number:03}", n=number) for number in range(100)))
    assert by_subscription(heard) == {"good": [f"e{number:03}" for number in range(100)]}
    codes = [letter.code for letter in hub.dead_letters]
    assert codes == ["InternalError"] * MAX_FAILURES + ["SubscriptionSuspended"]
    assert [letter.code for letter in told] == ["SubscriptionSuspended"]
    assert "'bad'" in told[0].reason
    assert "ValueError: min() arg is an empty sequence" in told[0].reason
    hub.publish(event("later"))
    assert len(hub.dead_letters) == len(codes)
    with pytest.raises(tocsin.Problem, match="UnknownSubscriptionError"):
        hub.unsubscribe("bad")


def test_poison_that_no_view_can_be_made_of_suspends_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub, heard = tocsin.Hub(), []
    hub.subscribe(ATOMS["graph"][0], language="graph", id="graph", to=heard.append)
    before = Event.graph.fget  # type: ignore[attr-defined]
    assert before is not None

    def graph(self: Event) -> Any:
        if self.id.startswith(POISON):
            raise TypeError("unhashable type: 'dict'")
        return before(self)

    monkeypatch.setattr(Event, "graph", property(graph))
    match_before = GraphMatcher.match

    def match(self: GraphMatcher, batch: EventBatch) -> Any:
        _ = [batch.event(i).graph for i in range(batch.size)]
        return match_before(self, batch)

    monkeypatch.setattr(GraphMatcher, "match", match)
    hub.publish(*(event(f"{POISON}{number}") for number in range(3 * MAX_FAILURES)), event("good"))
    assert by_subscription(heard) == {"graph": ["good"]}
    assert [letter.code for letter in hub.dead_letters] == ["InternalError"] * (3 * MAX_FAILURES)


def test_a_ring_that_cannot_be_told_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tocsin.Match] = []
    hub = hub_of_all(heard)
    before = hub._core._engine.render_atomic_match.__func__  # type: ignore[attr-defined]

    def ring(self: Any, key: str, each: Event) -> Any:
        if key == "exmlql" and each.id == POISON:
            raise RecursionError("too deep")
        return before(self, key, each)

    monkeypatch.setattr(type(hub._core._engine), "render_atomic_match", ring)
    hub.publish(event("e"), event(POISON))
    assert by_subscription(heard)["exmlql"] == ["e"]
    assert by_subscription(heard)["graph"] == ["e", POISON]
    assert [letter.code for letter in hub.dead_letters] == ["InternalError"]


PAIR = "selector{{ kind = 'a' AND n = {n} }} && selector{{ kind = 'b' AND n = {n} }}"


def pairs(count: int) -> list[dict[str, Any]]:
    return [event(f"{kind}{n}-{round}", 10 * round + n, kind, n=n)
            for round in range(count) for n in (1, 2) for kind in "ab"]  # fmt: skip


def hub_of_pairs(heard: list[tocsin.Match], told: list[DeadLetter]) -> tocsin.Hub:
    hub = tocsin.Hub(lateness="0s")
    for n in (1, 2):
        hub.subscribe(
            PAIR.format(n=n),
            language="opsl",
            id=f"pair{n}",
            to=heard.append,
            problems_to=told.append,
        )
    return hub


@pytest.mark.parametrize("rounds", [2, 8])
def test_a_composite_that_cannot_be_told_leaves_the_others(
    rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tocsin.Match] = []
    told: list[DeadLetter] = []
    before = MatchRenderer.match

    def match(self: MatchRenderer, subscription: str, *given: Any) -> Any:
        if subscription == "pair1":
            raise KeyError("$x")
        return before(self, subscription, *given)

    monkeypatch.setattr(MatchRenderer, "match", match)
    hub = hub_of_pairs(heard, told)
    hub.publish(*pairs(rounds))
    hub.advance_to(LATER)
    assert len(by_subscription(heard)["pair2"]) == 2 * rounds
    assert set(by_subscription(heard)) == {"pair2"}
    is_suspended = rounds >= MAX_FAILURES
    assert [letter.code for letter in told] == ["SubscriptionSuspended"] * is_suspended
    codes = [letter.code for letter in hub.dead_letters]
    assert (
        codes
        == ["InternalError"] * min(rounds, MAX_FAILURES) + ["SubscriptionSuspended"] * is_suspended
    )


@pytest.mark.parametrize("rounds", [2, 8])
def test_a_composite_that_raises_while_detecting_leaves_the_others(
    rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tocsin.Match] = []
    told: list[DeadLetter] = []
    before = JoinOperator.receive

    def receive(self: JoinOperator, slot: int, occurrence: Any, step: Any) -> None:
        if occurrence.members[0].data["n"] == 1 and occurrence.members[0].data["kind"] == "b":
            raise ZeroDivisionError("by zero")
        before(self, slot, occurrence, step)

    for kind in {JoinOperator, *JoinOperator.__subclasses__()}:
        monkeypatch.setattr(kind, "receive", receive)
    hub = hub_of_pairs(heard, told)
    hub.publish(*pairs(rounds))
    hub.advance_to(LATER)
    assert len(by_subscription(heard)["pair2"]) == 2 * rounds
    assert set(by_subscription(heard)) == {"pair2"}
    assert [letter.code for letter in told] == ["SubscriptionSuspended"] * (rounds >= MAX_FAILURES)
    assert all("'pair1'" in letter.reason for letter in hub.dead_letters)
    assert hub.dead_letters[0].input == '{"source": "s", "id": "b1-0"}'


def test_an_engine_whose_faults_nobody_takes_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a comparison with the reference would overlook them."""

    def receive(*_: Any) -> None:
        raise ZeroDivisionError("by zero")

    for kind in {JoinOperator, *JoinOperator.__subclasses__()}:
        monkeypatch.setattr(kind, "receive", receive)
    engine = guarded.Engine()  # type: ignore[attr-defined]
    engine.add("pair", compile_subscription(Subscription("pair", "opsl", PAIR.format(n=1))))
    (given,) = decode_all(json.dumps(event("a", 1, n=1)))
    (relevant,) = engine.match(Batch([given])).composite_inputs
    with pytest.raises(ZeroDivisionError):
        engine.detect(given, relevant.atoms)


def test_a_timer_that_raises_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    hub, heard = tocsin.Hub(lateness="0s"), []
    hub.subscribe(
        "!(selector{n = 1}; 10s) selector{n = 9}", language="opsl", id="bad", to=heard.append
    )
    hub.subscribe(
        "!(selector{n = 2}; 20s) selector{n = 9}", language="opsl", id="good", to=heard.append
    )
    before = DeadlineBuffer.on_timer

    def on_timer(self: Any, token: Any, step: Any) -> None:
        if step.now == parse_instant("2026-01-01T00:00:11Z"):
            raise IndexError("list index out of range")
        before(self, token, step)

    monkeypatch.setattr(DeadlineBuffer, "on_timer", on_timer)
    hub.publish(event("e1", 1, n=1), event("e2", 2, n=2))
    hub.advance_to(LATER)
    assert by_subscription(heard) == {"good": ["e2"]}
    (letter,) = hub.dead_letters
    assert letter.code == "InternalError"
    assert "'bad'" in letter.reason
    assert "IndexError" in letter.reason


XML = "application/xml"


def document(id: str, text: str) -> dict[str, Any]:
    return {**event(id), "datacontenttype": XML, "data": text}


@pytest.mark.parametrize(
    "raised", [EventProblem("too long", code="TooLarge"), RuntimeError("no paper")]
)
def test_what_cannot_be_built_leaves_the_others(
    raised: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, heard = tocsin.Hub(), []
    hub.subscribe(
        "WHERE <order>$i</> CONSTRUCT <task>$i</>", language="exmlql", id="build", to=heard.append
    )
    hub.subscribe("WHERE <order>$i</>", language="exmlql", id="watch", to=heard.append)

    def build(_: tocsin.Match) -> list[Event]:
        raise raised

    monkeypatch.setattr(guarded, "constructed_events", build)
    hub.publish(document("1", "<order>1</order>"))
    assert sorted(by_subscription(heard)) == ["build", "watch"]
    (letter,) = hub.dead_letters
    assert letter.code == ("TooLarge" if isinstance(raised, EventProblem) else "InternalError")
    assert "'build'" in letter.reason


def test_a_listener_that_raises_harms_nobody() -> None:
    hub, heard = tocsin.Hub(lateness="0s", queue_limit=2), []

    def raising(_: DeadLetter) -> None:
        raise OSError("mail server down")

    many = "selector{ kind = 'a' } && selector{ kind = 'z' }"
    hub.subscribe(many, language="opsl", id="many", problems_to=raising)
    hub.subscribe("kind = 'a'", id="good", to=heard.append)
    for number in range(6):
        hub.publish(event(f"e{number}", number))
    assert len(heard) == 6
    assert [letter.code for letter in hub.dead_letters] == ["QueueLimitExceeded", "DeliveryError"]
    assert "OSError: mail server down" in hub.dead_letters[1].reason


def test_an_input_that_raises_while_it_is_read_leaves_the_others() -> None:
    hub = tocsin.Hub()
    hub.subscribe("kind = 'a'")

    class Odd(Mapping[str, Any]):
        def __getitem__(self, *_: object) -> Any:
            raise RuntimeError("odd")

        __len__ = __iter__ = __repr__ = __getitem__  # type: ignore[assignment]

    assert len(hub.publish(event("e"), Odd(), event("f"))) == 2
    (letter,) = hub.dead_letters
    assert (letter.code, letter.input) == ("InternalError", "Odd")


def test_an_identity_that_comes_again_while_its_first_copy_waits_is_a_duplicate() -> None:
    hub, heard = tocsin.Hub(lateness="10m", remember=1), []
    hub.subscribe(PAIR.format(n=1), language="opsl", to=heard.append)
    hub.subscribe("n = 1", id="atom", to=heard.append)
    for each in (
        event("a", 1, n=1),
        event("x", 1),
        event("a", 1, n=1),
        event("x", 1),
        event("a", 1, n=1),
    ):
        hub.publish(each)
    hub.publish(event("b", 2, "b", n=1))
    hub.advance_to(LATER)
    assert [match.events for match in heard] == [("a",), ("b",), ("a", "b")]
    assert hub.counts.duplicates == 3


def test_what_has_no_time_waits_for_nothing() -> None:
    hub = tocsin.Hub()
    hub.subscribe(PAIR.format(n=1), language="opsl")
    for number in range(3):
        hub.publish({"id": f"e{number}", "source": "s", "type": "t", "data": {"kind": "a", "n": 1}})
    assert len(hub._core._sequencer) == 0


def test_more_waiting_events_than_may_let_time_go_on_and_none_is_lost() -> None:
    hub, heard = tocsin.Hub(lateness="10m", queue_limit=5), []
    hub.subscribe(PAIR.format(n=1), language="opsl", to=heard.append, id="pair")
    events = [event(f"{kind}{second}", second, kind, n=1) for second in range(20) for kind in "ab"]
    for each in events:
        hub.publish(each)
        assert len(hub._core._sequencer) <= 5
    hub.advance_to(LATER)
    calm, heard_calm = tocsin.Hub(lateness="10m"), []
    calm.subscribe(PAIR.format(n=1), language="opsl", to=heard_calm.append, id="pair")
    calm.publish(*events)
    calm.advance_to(LATER)
    assert [match.id for match in heard] == [match.id for match in heard_calm]
    assert len(heard) == 20
    assert {letter.code for letter in hub.dead_letters} == {"QueueLimitExceeded"}
    assert "queue_limit" in hub.dead_letters[0].reason


@pytest.mark.parametrize("language", ["selector", "opsl"])
def test_a_subscription_that_raises_while_it_is_added_has_a_problem_and_changes_nothing(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe("kind = 'a'", id="good")
    text = {"selector": "n = 5", "opsl": "selector{n = 1} && selector{n = 5}"}[language]
    before = Matcher.add

    def add(self: Matcher, key: str, atom: Any) -> None:
        if "value=5" in repr(atom):
            raise IndexError("list index out of range")
        before(self, key, atom)

    with monkeypatch.context() as patch:
        patch.setattr(Matcher, "add", add)
        with pytest.raises(tocsin.Problem, match=r"InternalError.*IndexError.*at tocsin/"):
            hub.subscribe(text, language=language, id="bad")
        assert len(hub.publish(event("e", n=1))) == 1
    hub.subscribe(text, language=language, id="bad")
    rung = [
        *hub.publish(event("f", 1, n=1)),
        *hub.publish(event("g", 2, n=5)),
        *hub.advance_to(LATER),
    ]
    assert {match.subscription for match in rung} == {"good", "bad"}


@pytest.mark.parametrize("name", ["to", "problems_to"])
def test_a_receiver_that_cannot_be_called_is_refused(name: str) -> None:
    hub = tocsin.Hub()
    with pytest.raises(tocsin.Problem, match="ReceiverError"):
        hub.subscribe("kind = 'a'", id="s", **{name: 5})
    hub.subscribe("kind = 'a'", id="s")


NAMES = [f"s{number}" for number in range(4)]
IDS = [f"e{number:02}" for number in range(14)]


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from(NAMES[1:]), st.sets(st.sampled_from(IDS)), max_size=2),
    st.dictionaries(st.sampled_from(NAMES[1:]), st.sets(st.sampled_from(IDS)), max_size=2),
    st.integers(1, 14),
)
def test_containing_faults_never_changes_what_others_get(
    matching: dict[str, set[str]], telling: dict[str, set[str]], size: int
) -> None:
    """Some subscriptions raise for some events, in matching or in telling; the others hear what
    they hear without.
    """
    calm = play(size)
    with pytest.MonkeyPatch.context() as patch:
        inject(patch, matching, telling)
        shaken = play(size)
    for name in NAMES:
        bad = matching.get(name, set()) | telling.get(name, set())
        expected = [id for id in calm[name] if id not in bad]
        suspended_at = len(shaken[name]) if len(bad) >= MAX_FAILURES else len(expected)
        assert shaken[name] == expected[:suspended_at]


def play(size: int) -> dict[str, list[str]]:
    hub = tocsin.Hub()
    heard: dict[str, list[str]] = {name: [] for name in NAMES}

    def note(match: tocsin.Match) -> None:
        heard[match.subscription].append(match.events[0])

    for number, name in enumerate(NAMES):
        language, expression = [("selector", f"n >= {number}"), ("exmlql", "WHERE <n>$n</>")][
            number % 2
        ]
        hub.subscribe(expression, language=language, id=name, to=note)
    for start in range(0, len(IDS), size):
        hub.publish(*(event(id, int(id[1:]), n=int(id[1:])) for id in IDS[start : start + size]))
    return heard


def inject(
    patch: pytest.MonkeyPatch, matching: dict[str, set[str]], telling: dict[str, set[str]]
) -> None:
    match_before: Callable[..., Any] = AtomMatchers.match
    ring_before: Callable[..., Any] = guarded.Engine.render_atomic_match  # type: ignore[attr-defined]

    def match(self: AtomMatchers, batch: EventBatch) -> Any:
        for key, ids in matching.items():
            if key in self and any(batch.event(i).id in ids for i in range(batch.size)):
                raise RuntimeError(key)
        return match_before(self, batch)

    def ring(self: Any, key: str, each: Event) -> Any:
        if each.id in telling.get(key, ()):
            raise RuntimeError(key)
        return ring_before(self, key, each)

    patch.setattr(AtomMatchers, "match", match)
    patch.setattr(guarded.Engine, "render_atomic_match", ring)  # type: ignore[attr-defined]
