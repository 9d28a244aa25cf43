"""Matches, waiting and misses are explained in the subscriber's own words, with event ids, windows
and keys.
"""

from __future__ import annotations

from typing import Any

import pytest

from tocsin.catalog import Definition, Subscription, compile_with_sources
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.explain.replay import replay
from tocsin.explain.waiting import pending_text
from tocsin.explain.why import MatchedEvents, describe_match, plan_tree, windows_of
from tocsin.explain.why_not import WhyNotQuery, why_not
from tocsin.plan.nodes.composites import Part
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.values.time import format_instant

DAY = "2026-01-01T"
REGIONS = (
    Definition("Warehouse", region="POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"),
    Definition("Customer", region="POLYGON((20 0, 30 0, 30 10, 20 10, 20 0))"),
)
TRUCKS = "WHEN Truck LEAVES Warehouse THEN NO Truck ENTERS Customer WITHIN 2h FOR EACH truck"
AWAY = "no `Truck ENTERS Customer`"


def compiled(rule: str) -> tuple[Part, Sources]:
    plan, sources = compile_with_sources(Subscription("s", "rule", rule), REGIONS)
    return plan.pattern, sources


def event(id: str, type: str, clock: str, x: int | None = None, **data: Any) -> Event:
    place = {} if x is None else {"place": f"POINT({x} 5)"}
    body = {"specversion": "1.0", "id": id, "source": "s", "type": type, "data": data}
    return from_mapping(body | {"time": f"{DAY}{clock}Z"} | place)


def truck(id: str, clock: str, x: int, name: str = "truck-8") -> Event:
    return event(id, "Truck", clock, x, truck=name)


LEFT = (truck("1", "08:00:00", 5), truck("2", "08:30:00", 15))
LATER = event("9", "Tick", "12:00:00")


def described(rule: str, *events: Event) -> list[str]:
    pattern, sources = compiled(rule)
    known = {each.identity: each for each in events}
    found = []
    for _, outcome in replay(pattern, events, ()).outcomes:
        for match in outcome.matches:
            members = [known[each] for each in zip(match.sources, match.events, strict=True)]
            end = None if match.end is None else format_instant(match.end)
            seen = MatchedEvents(pattern, match.bindings, members, end, sources)
            found.append(describe_match(seen))
    return found


def failed(rule: str, event: Event, *around: Event) -> dict[str, Any]:
    pattern, sources = compiled(rule)
    found = why_not(pattern, WhyNotQuery(event, around), sources)
    assert found["rings"] is False
    step: dict[str, Any] = found["steps"][found["first_failure"]]
    return step


def test_a_match_of_an_absence_has_its_window_its_event_and_its_key() -> None:
    assert described(TRUCKS, *LEFT, LATER) == [
        f"{AWAY} from {DAY}08:30:00Z to {DAY}10:30:00Z after `Truck LEAVES Warehouse` (event 2),"
        " for truck-8"
    ]


def test_the_windows_and_the_tree_of_that_match() -> None:
    pattern, sources = compiled(TRUCKS)
    found = replay(pattern, [*LEFT, LATER], ())
    (match,) = (each for _, outcome in found.outcomes for each in outcome.matches)
    windows = windows_of(match.as_json(), pattern, LEFT[1:], sources)
    assert windows[1] == {
        "from": f"{DAY}08:30:00Z",
        "to": f"{DAY}10:30:00Z",
        "label": f"{AWAY} after `Truck LEAVES Warehouse` (event 2), for truck-8",
        "absent": True,
    }
    tree = plan_tree(pattern, LEFT, sources)
    assert (tree["role"], f"WHEN {tree['source']} FOR EACH truck") == ("", TRUCKS)
    absent, after = tree["children"]
    assert (absent["role"], absent["source"]) == ("absent", "Truck ENTERS Customer")
    assert absent["label"] == "absent: `Truck ENTERS Customer`, per truck"
    assert (after["role"], after["source"]) == ("after", "Truck LEAVES Warehouse")


def test_what_waits_says_until_when() -> None:
    pattern, sources = compiled(TRUCKS)
    found = replay(pattern, LEFT, LEFT)
    ((waiting, is_over),) = found.waiting_with(LEFT[1])
    assert not is_over
    assert pending_text(waiting, sources) == (
        f"event 2: rings at {DAY}10:30:00Z unless `Truck ENTERS Customer` comes before"
    )


def test_a_miss_says_which_event_broke_the_window() -> None:
    arrival = truck("3", "09:10:00", 25)
    step = failed(TRUCKS, LEFT[1], LEFT[0], arrival, LATER)
    assert step["text"] == (
        f"{AWAY} from {DAY}08:30:00Z to {DAY}10:30:00Z after `Truck LEAVES Warehouse` (event 2),"
        " for truck-8"
    )
    assert step["actual"] == f"event 3 at {DAY}09:10:00Z is `Truck ENTERS Customer`"


def test_an_event_that_breaks_a_window_is_told_which() -> None:
    arrival = truck("3", "09:10:00", 25)
    pattern, sources = compiled(TRUCKS)
    steps = why_not(pattern, WhyNotQuery(arrival, [*LEFT, LATER]), sources)["steps"]
    (broken,) = (each for each in steps if each["text"].startswith(f"{AWAY} from"))
    assert (broken["holds"], "(event 2)" in broken["text"]) == (False, True)


def test_another_truck_breaks_nothing() -> None:
    other = (truck("4", "08:00:00", 15, "truck-9"), truck("5", "09:00:00", 25, "truck-9"))
    assert len(described(TRUCKS, *LEFT, *other, LATER)) == 1


def test_a_change_says_what_the_state_was_before() -> None:
    step = failed(TRUCKS, truck("3", "09:00:00", 15), *LEFT)
    assert step["text"] == "`INSIDE Warehouse` held before"
    assert step["actual"] == f"event 2 at {DAY}08:30:00Z: it does not hold"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "WHEN a: order THEN b: payment WITHIN 1h FOR EACH n",
            "`a` (event 1) then `b` (event 2), for 7",
        ),
        ("WHEN order THEN payment WITHIN 1h", "`order` (event 1) then `payment` (event 2)"),
        ("WHEN order AND payment ALL WITHIN 1h", "`order` (event 1) and `payment` (event 2)"),
        ("WHEN refund OR payment THEN tick WITHIN 2h", "`payment` (event 2) then `tick` (event 3)"),
        (
            "WHEN COUNT(payment) >= 1 OVER 5m FOR EACH n",
            f"`COUNT(payment) >= 1 OVER 5m` in the 5m to {DAY}08:10:00Z (event 2), for 7",
        ),
        (
            "WHEN order HOLDS n > 5 FOR 30m FOR EACH n",
            f"`order HOLDS n > 5 FOR 30m` from {DAY}08:00:00Z to {DAY}08:30:00Z (event 1), for 7",
        ),
    ],
)
def test_matches_of_each_kind_of_operator(rule: str, expected: str) -> None:
    events = (
        event("1", "order", "08:00:00", n=7),
        event("2", "payment", "08:10:00", n=7),
        event("3", "tick", "10:00:00"),
    )
    (found, *_) = described(rule, *events)
    assert found.startswith(expected)


def test_holds_is_never_shown_as_an_absence() -> None:
    rule = "WHEN reading HOLDS temperature > 8 FOR 10m FOR EACH sensor"
    warm = event("1", "reading", "08:00:00", temperature=9, sensor="s3")
    cold = event("2", "reading", "08:05:00", temperature=7, sensor="s3")
    pattern, sources = compiled(rule)
    step = failed(rule, warm, cold, LATER)
    assert step["text"].startswith("`reading HOLDS temperature > 8 FOR 10m` from")
    assert step["actual"].startswith("event 2 at")
    shown = str(plan_tree(pattern, [warm], sources)) + str(
        why_not(pattern, WhyNotQuery(warm, [cold, LATER]), sources)
    )
    assert "absent: " not in shown
    assert "no `" not in shown


def test_a_sequence_too_late_names_its_parts_and_no_slots() -> None:
    rule = "WHEN a: order THEN b: payment WITHIN 1h"
    late = event("2", "payment", "10:00:00")
    pattern, sources = compiled(rule)
    order = event("1", "order", "08:00:00")
    step = failed(rule, late, order)
    assert (step["text"], step["actual"], step["distance"]) == (
        "`b` ends at most 1h after `a` ends",
        "2h after",
        "1h",
    )
    assert "[1]" not in str(why_not(pattern, WhyNotQuery(late, [order]), sources))


def test_without_texts_the_plan_is_described() -> None:
    pattern, _ = compiled(TRUCKS)
    tree = plan_tree(pattern, LEFT, NO_SOURCES)
    assert tree["source"] is None
    assert tree["label"].startswith("nothing within 2h after")
