"""What a subscription constructs is an event again: with lineage, on every host, and not
for ever.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

import tocsin
from tests.builders import event_json
from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import HOP_LIMIT, Match, constructed_events, hops_of
from tocsin.events.views.document import LIMITS
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.runtime.limits import BUILDING_LIMIT, GENERATION_LIMIT

ORDER, PAY = "<order><id>7</id></order>", "<pay><id>7</id></pay>"
SPLIT = Subscription("split", "exmlql", "WHERE <order><id>$i</></> CONSTRUCT <task>$i</>")
TASK = Subscription("task", "exmlql", "WHERE <task>$t</>")
BOTH = Subscription(
    "both",
    "exmlql",
    "WHERE <order><id>$i</></> #O <pay><id>$i</></> #P #O ; #P CONSTRUCT <settled>$i</>",
)
LATER = Subscription(
    "later",
    "exmlql",
    "WHERE <settled>$s</> #S <order><id>$s</></> #O #O ; #S CONSTRUCT <closed>$s</>",
)
LOOP = Subscription("loop", "exmlql", "WHERE <a>$x</> CONSTRUCT <a>$x</>")


def event(id: str, second: int, document: str) -> dict[str, object]:
    return event_json(id, second=second, content_type="application/xml", data=document)


Answer = tuple[list[Match], list[DeadLetter]]
Host = Callable[[Iterable[Subscription], Iterable[dict[str, object]]], Answer]


def in_hub(subscriptions: Iterable[Subscription], events: Iterable[dict[str, object]]) -> Answer:
    hub = tocsin.Hub(lateness="0s")
    for each in subscriptions:
        hub.subscribe(each.expression, language=each.language, id=each.id)
    found = [match for each in events for match in hub.publish(each)]
    return [*found, *hub.advance_to("2026-01-01T01:00:00Z")], list(hub.dead_letters)


def in_file(subscriptions: Iterable[Subscription], events: Iterable[dict[str, object]]) -> Answer:
    given = read_events([json.dumps(each).encode() for each in events])
    plans = {each.id: compile_subscription(each) for each in subscriptions}
    return match_events(plans, given), given.dead_letters


HOSTS = pytest.mark.parametrize("host", [in_hub, in_file])


@HOSTS
def test_what_is_split_off_is_matched_again(host: Host) -> None:
    found, _ = host([SPLIT, TASK], [event("1", 1, ORDER)])
    split, task = sorted(found, key=lambda match: match.subscription)
    (built,) = constructed_events(split)
    assert split.outputs == ("<task>7</task>",)
    assert task.events == (built.id,)
    assert (built.source, built.envelope["lineage"], built.envelope["hops"]) == (
        "tocsin/split",
        "1",
        1,
    )
    assert task.detected == split.detected


@HOSTS
def test_what_several_events_construct_takes_part_in_composites(host: Host) -> None:
    found, _ = host([BOTH, LATER], [event("1", 1, ORDER), event("2", 2, PAY)])
    by_key = {match.subscription: match for match in found}
    assert by_key["both"].outputs == ("<settled>7</settled>",)
    assert by_key["later"].outputs == ("<closed>7</closed>",)
    assert by_key["later"].events == ("1", constructed_events(by_key["both"])[0].id)
    assert [hops_of(by_key[key]) for key in ("both", "later")] == [1, 2]


@HOSTS
def test_a_loop_ends_at_the_limit_and_says_so(host: Host) -> None:
    found, letters = host([LOOP], [event("1", 1, "<a>1</a>")])
    assert len(found) == HOP_LIMIT + 1
    assert [letter.code for letter in letters] == ["HopLimitExceeded"]


DEEPER = Subscription("deeper", "exmlql", "WHERE <a><b>$x</></> CONSTRUCT <a><b><b>$x</></></>")
TWO = Subscription("two", "exmlql", "WHERE <a>$x</> CONSTRUCT <a>$x</> <a><b>$x</></>")
LEFT = Subscription("left", "exmlql", "WHERE <a>$x</> CONSTRUCT <a>l$x</>")
RIGHT = Subscription("right", "exmlql", "WHERE <a>$x</> CONSTRUCT <a>r$x</>")
CANARY = Subscription("canary", "exmlql", "WHERE <canary></>")


@HOSTS
def test_what_grows_over_the_limits_of_an_event_is_told_and_others_hear(host: Host) -> None:
    deep = "<a>" + "<b>" * (LIMITS.depth - 3) + "x" + "</b>" * (LIMITS.depth - 3) + "</a>"
    found, letters = host([DEEPER, CANARY], [event("1", 1, deep), event("2", 2, "<canary/>")])
    assert [match.events for match in found if match.subscription == "canary"] == [("2",)]
    grown = [match for match in found if match.subscription == "deeper"]
    assert len(grown) == 3  # of 126, 127 and 128 levels; what has 129 is no event any more
    (letter,) = letters
    assert letter.code == "EventLimitError"
    assert "'deeper'" in letter.reason
    assert "not published again" in letter.reason


@HOSTS
@pytest.mark.parametrize(
    "subscriptions", [[TWO], [LEFT, RIGHT]], ids=["templates", "subscriptions"]
)
def test_what_multiplies_ends_before_it_harms_anybody(
    host: Host, subscriptions: list[Subscription]
) -> None:
    found, letters = host(
        [*subscriptions, CANARY], [event("1", 1, "<a>1</a>"), event("2", 2, "<canary/>")]
    )
    assert [match.events for match in found if match.subscription == "canary"] == [("2",)]
    generations = Counter(hops_of(match) for match in found if match.subscription != "canary")
    doubled = {hops: 2 ** (hops - (1 if subscriptions == [TWO] else 0)) for hops in range(1, 11)}
    # the tenth has 1024 events, which is too many to be published again
    assert generations == doubled
    (letter,) = letters
    assert (letter.code, json.loads(letter.input)) == (
        "FanOutLimitExceeded",
        {"source": "s", "id": "1"},
    )
    assert f"what {generations[10]:,} matches" in letter.reason


@HOSTS
def test_what_one_event_is_split_into_at_first_may_be_much(host: Host) -> None:
    lines = GENERATION_LIMIT + 500
    each = Subscription("each", "exmlql", "WHERE <order><id>$i</></> CONSTRUCT <task>$i</>")
    next_step = Subscription("next", "exmlql", "WHERE <task>$i</> CONSTRUCT <done>$i</>")
    order = "<order>" + "".join(f"<id>{number}</id>" for number in range(lines)) + "</order>"
    found, letters = host([each, next_step], [event("1", 1, order)])
    assert Counter(match.subscription for match in found) == {"each": 1, "next": lines}
    assert letters == []


@HOSTS
def test_a_large_document_that_multiplies_is_not_built_over_and_over(host: Host) -> None:
    """Each of many outputs holds the whole again: the second generation alone would have 100 times
    100 of them.
    """
    copies = " ".join(f'<a k="{number}">$x</>' for number in range(100))
    multiplied = Subscription("copies", "exmlql", f"WHERE <a>$x</> CONSTRUCT {copies}")
    found, letters = host(
        [multiplied, CANARY], [event("1", 1, f"<a>{'x' * 20_000}</a>"), event("2", 2, "<canary/>")]
    )
    assert [match.events for match in found if match.subscription == "canary"] == [("2",)]
    built = sum(len(text) for match in found for text in match.outputs)
    assert built < 3 * BUILDING_LIMIT
    assert {letter.code for letter in letters} == {"FanOutLimitExceeded"}
