"""A leap of the clock over more than a thousand empty windows that come again tells one match,
which names the span.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests.builders import build_event
from tests.timelines import kind
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.composites import Absence, AfterWindow, EveryWindow, Join, Part, Plan, Policy
from tocsin.reference import matches as reference_matches
from tocsin.runtime.finite_run import Input, match_events
from tocsin.runtime.watermark import busy_spans, joined_spans, pauses
from tocsin.values.time import format_instant


def event(id: str, letter: str, at: int) -> Event:
    return build_event(id, time=at, data={"kind": letter})


def told(found: list[Match]) -> list[tuple[Any, ...]]:
    return [
        (each.start, each.end, each.detected, each.events, dict(each.bindings)) for each in found
    ]


def finite(part: Part, events: list[Event], until: int | None = None) -> list[Match]:
    return match_events({"s": Plan(part)}, Input(events), until)


def windows(found: list[Match]) -> list[tuple[int, int]]:
    return [(each.start or 0, each.end or 0) for each in found]


@pytest.mark.parametrize("last", [1000, 1001, 1002])
def test_a_thousand_windows_are_told_one_by_one_and_more_as_one(last: int) -> None:
    part = Absence(kind("a"), EveryWindow(10, 0))
    events = [event("1", "a", 5), event("2", "z", last * 10 + 5)]
    found = finite(part, events)
    if last <= 1001:
        assert windows(found) == [(at * 10, at * 10 + 10) for at in range(1, last)]
    else:
        assert windows(found) == [(10, last * 10)]
        assert found[0].bindings["absence"] == f"{format_instant(10)}/{format_instant(last * 10)}"
    assert told(found) == told(reference_matches("s", Plan(part), events))


def test_another_event_on_the_way_is_no_leap_whether_anybody_wants_it_or_not() -> None:
    part = Absence(kind("a"), EveryWindow(10, 0))
    events = [event("1", "a", 5), event("2", "z", 8_000), event("3", "z", 15_995)]
    found = finite(part, events)
    assert len(found) == 1598
    assert told(found) == told(reference_matches("s", Plan(part), events))


PARTS = [
    Absence(kind("a"), EveryWindow(1)),
    Absence(kind("a"), EveryWindow(2, 3)),
    Absence(Join((kind("a"), kind("b"))), EveryWindow(1)),
    Absence(Absence(kind("b"), AfterWindow(kind("a"), 5)), EveryWindow(4)),
    Join((Absence(kind("a"), EveryWindow(3)), kind("b")), policy=Policy.CHRONICLE),
]


@given(
    st.sampled_from(PARTS),
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, 5, 999, 1000, 1001, 1002, 2500, 4001]), st.sampled_from("abz")
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([None, 0, 3000]),
)
def test_engine_and_reference_leap_alike(
    part: Part, steps: list[tuple[int, str]], further: int | None
) -> None:
    events, at = [], 0
    for number, (step, letter) in enumerate(steps):
        at += step
        events.append(event(str(number), letter, at))
    until = None if further is None else at + further
    assert told(finite(part, events, until)) == told(
        reference_matches("s", Plan(part), events, until)
    )


def test_a_hub_tells_ten_years_of_minutes_in_one_match() -> None:
    hub = tocsin.Hub(lateness="0s", ahead=None)
    hub.subscribe("not (selector{ kind = 'a' }) (1 min)", language="concept", id="silent")
    hub.subscribe("not (selector{ kind = 'b' }) (1 h)", language="concept", id="hours")
    hub.publish(
        {
            "id": "1",
            "source": "s",
            "type": "t",
            "time": "2026-01-01T00:00:30Z",
            "data": {"kind": "a"},
        }
    )
    found = hub.advance_to("2036-01-01T00:00:30Z")
    spans = {match.subscription: match.bindings["absence"] for match in found}
    assert len(found) == 2
    assert spans == {
        "silent": "2026-01-01T00:01:00Z/2036-01-01T00:00:00Z",
        "hours": "2026-01-01T00:00:00Z/2036-01-01T00:00:00Z",
    }


def test_spans_join_where_no_long_pause_parts_them() -> None:
    assert list(busy_spans([1, 2, 13, 30], 10)) == [(1, 2), (13, 13), (30, 30)]
    assert list(busy_spans([1, 2, 12, 30], 10)) == [(1, 12), (30, 30)]
    assert list(busy_spans([30, 1], None)) == [(1, 30)]
    assert list(busy_spans([], 10)) == []
    assert list(joined_spans([(20, 25), (0, 9), (3, 12)], 10)) == [(0, 25)]
    assert pauses([(40, 50), (0, 9), (3, 12)], 10) == [(12, 40)]
