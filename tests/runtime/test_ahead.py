"""A wrong clock: one event far ahead of its time is told, moves no time and makes no other late."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tocsin.errors import Problem
from tocsin.runtime.admission import find_too_far_ahead
from tocsin.runtime.finite_run import read_events
from tocsin.values.time import Instant, format_instant, parse_instant

NOON = parse_instant("2026-01-01T12:00:00Z")
SECOND = 1_000_000
HOUR = 3600 * SECOND
TEN_YEARS = 87_600 * HOUR
PAIR = "=|(selector{ kind = 'a' }; 10s)selector{ kind = 'b' }"


def event(id: str, kind: str, at: Instant, **more: Any) -> dict[str, Any]:
    return event_json(id, time=at, data={"kind": kind}, **more)


def pairs(count: int) -> list[dict[str, Any]]:
    return [
        event(f"{kind}{number}", kind, NOON + number * 60 * SECOND + late * SECOND)
        for number in range(count)
        for kind, late in (("a", 0), ("b", 5))
    ]


@pytest.fixture
def hub() -> Iterator[tocsin.Hub]:
    """A hub at noon of a day; its clock stands still."""
    with tocsin.Hub(clock=lambda: NOON + HOUR // 2) as made:
        made.subscribe(PAIR, language="opsl", id="pair")
        made.subscribe("kind = 'a'", id="atom")
        yield made


def heard(hub: tocsin.Hub, events: Iterable[dict[str, Any]], id: str) -> list[tuple[str, ...]]:
    found = [match for each in events for match in hub.publish(each)]
    found += hub.advance_to(format_instant(NOON + 24 * HOUR))
    return [match.events for match in found if match.subscription == id]


def test_one_event_ten_years_ahead_makes_no_other_late_whichever_comes_first() -> None:
    for place in (0, 7, 20):
        hub = tocsin.Hub(clock="events")
        hub.subscribe(PAIR, language="opsl", id="pair")
        events = pairs(10)
        events.insert(place, event("wrong", "a", parse_instant("2099-01-01T00:00:00Z")))
        assert heard(hub, events, "pair") == [(f"a{number}", f"b{number}") for number in range(10)]
        assert [letter.code for letter in hub.dead_letters] == ["TooFarAhead"]
        assert json.loads(hub.dead_letters[0].input) == {"source": "s", "id": "wrong"}
        assert "2099-01-01T00:00:00Z" in hub.dead_letters[0].reason
        assert (hub.counts.late, hub.counts.too_far_ahead) == (0, 1)


def test_an_hour_beyond_the_clock_of_the_host_is_the_last_that_counts(hub: tocsin.Hub) -> None:
    clock = NOON + HOUR // 2
    hub.publish(event("in time", "a", clock + HOUR), event("wrong", "a", clock + HOUR + 1))
    assert [json.loads(letter.input)["id"] for letter in hub.dead_letters] == ["wrong"]


def test_it_is_the_end_that_would_move_time(hub: tocsin.Hub) -> None:
    hub.publish(event("long", "a", NOON, endtime=format_instant(NOON + TEN_YEARS)))
    assert [letter.code for letter in hub.dead_letters] == ["TooFarAhead"]


def test_a_condition_on_one_event_needs_no_order_and_rings(hub: tocsin.Hub) -> None:
    assert heard(hub, [event("wrong", "a", NOON + TEN_YEARS)], "atom") == [("wrong",)]


def test_what_the_owner_says_the_time_is_counts_as_the_clock(hub: tocsin.Hub) -> None:
    hub.advance_to(format_instant(NOON + TEN_YEARS))
    hub.publish(event("then", "a", NOON + TEN_YEARS + HOUR))
    assert not hub.dead_letters


def test_a_replay_turns_it_off() -> None:
    hub = tocsin.Hub(ahead=None)
    hub.subscribe(PAIR, language="opsl", id="pair")
    start = parse_instant("2099-01-01T00:00:00Z")
    hub.publish(event("a", "a", start), event("b", "b", start + SECOND))
    found = hub.advance_to("2099-01-02T00:00:00Z")
    assert [match.events for match in found] == [("a", "b")]
    assert not hub.dead_letters


def test_another_limit_and_one_that_is_no_duration() -> None:
    with tocsin.Hub(clock=lambda: NOON, ahead="5s") as hub:
        hub.publish(event("1", "a", NOON + 5 * SECOND), event("2", "a", NOON + 6 * SECOND))
        assert [json.loads(letter.input)["id"] for letter in hub.dead_letters] == ["2"]
    with pytest.raises(Problem):
        tocsin.Hub(ahead="soon")


def test_what_is_built_from_an_event_too_far_ahead_moves_no_time_either() -> None:
    hub = tocsin.Hub(clock="events")
    text = "WHERE <a><n>$n</n></a> CONSTRUCT <b><n>$n</n></b>"
    hub.subscribe(text, language="exmlql", id="build")
    hub.subscribe("xml{ <b></b> } && selector{ kind = 'z' }", language="opsl", id="pair")
    hub.publish(
        {
            "id": "wrong",
            "source": "s",
            "type": "t",
            "time": "2099-01-01T00:00:00Z",
            "data": "<a><n>1</n></a>",
        }
    )
    assert len(hub._core._sequencer) == 0


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([], []),
        ([5], []),
        ([0, 1, 2, 3], []),
        ([0, 1000], [1]),
        ([1000, 0], [0]),
        ([1000, 0, 1, 2], [0]),
        ([0, 1, 1000, 2, 3], [2]),
        ([0, 1, 1000, 2, 1001, 3, 4], [2, 4]),
        ([0, 1, 2, 3, 1000, 1001], [4, 5]),
        # a pause: what follows has paused too
        ([0, 1, 2, 3, 1000, 1001, 1002, 1003, 1004, 1005], []),
        ([0, 10, 20, 30, 1, 2], []),  # exactly as much as is allowed
        ([0, 12, 1, 2, 3], []),  # ten beyond the median, though not beyond the newest
        ([0, 13, 1, 2, 3], [1]),
        ([-1000, 0, 1, 2], []),  # one far behind is not ahead, and puts nobody ahead
        ([7] * 50 + [1000] * 3 + [8] * 50, [50, 51, 52]),
    ],
)
def test_finite_input_is_judged_by_what_stands_around(ends: list[int], expected: list[int]) -> None:
    assert list(find_too_far_ahead(ends, 10)) == expected


def test_a_file_with_one_wrong_clock_has_nobody_late() -> None:
    events = pairs(10)
    events.insert(7, event("wrong", "z", NOON + TEN_YEARS))
    lines = [json.dumps(each).encode() for each in events]
    judged = read_events(lines, lateness=2 * SECOND, ahead=24 * HOUR)
    assert [(letter.code, letter.line) for letter in judged.dead_letters] == [("TooFarAhead", 8)]
    assert judged.late == {("s", "wrong")}
    assert [letter.code for letter in read_events(lines, lateness=2 * SECOND).dead_letters] == [
        "LateEvent"
    ] * 13
