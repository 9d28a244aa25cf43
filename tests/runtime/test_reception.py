"""Reception time: an event without an endtime lasts until it was received, and a replay gives the
same answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tocsin
from tests.builders import event_json
from tests.cli.test_commands import lines_of
from tests.cli.test_commands import tocsin as command
from tocsin.catalog import Subscription, compile_subscription
from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.codecs.base.cloudevents import decode, encode, from_mapping
from tocsin.events.codecs.reception import EventEndRule, stamp_reception
from tocsin.events.event import Event
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.values.time import format_instant, parse_instant

NOON = parse_instant("2026-01-01T12:00:00Z")
OVERLAP = Subscription(
    "overlap",
    "opsl",
    "|(selector{kind LIKE 'a%'})selector{kind LIKE 'b%'}",
    options={"max_event_duration": "1h"},
)


def at(second: float) -> str:
    return format_instant(NOON + round(second * 1_000_000))


def body(id: str, second: float, **more: Any) -> dict[str, Any]:
    return event_json(id, time=at(second), data={"kind": id[0]}, **more)


def interval(event: Event) -> tuple[float, float]:
    assert event.interval is not None
    return ((event.interval.start - NOON) / 1e6, (event.interval.end - NOON) / 1e6)


@pytest.mark.parametrize(
    ("more", "now", "expected"),
    [
        ({}, None, (1, 1)),
        ({}, 5, (1, 5)),
        ({"receivedtime": at(3)}, None, (1, 3)),
        ({"receivedtime": at(3)}, 5, (1, 3)),
        ({"endtime": at(2)}, 5, (1, 2)),
        ({"endtime": at(1), "receivedtime": at(3)}, 5, (1, 1)),
        ({"receivedtime": at(1)}, None, (1, 1)),
        ({"receivedtime": at(0)}, 5, (1, 1)),
        ({}, 0, (1, 1)),
    ],
)
def test_when_an_event_ends(
    more: dict[str, Any], now: float | None, expected: tuple[float, float]
) -> None:
    event = stamp_reception(
        from_mapping(body("e", 1, **more)), None if now is None else NOON + round(now * 1e6)
    )
    assert interval(event) == expected
    assert parse_instant(event.attribute(("", "endtime"))) == NOON + expected[1] * 1e6
    if now is not None:
        assert event.envelope["receivedtime"] == more.get("receivedtime", at(now))


def test_an_event_without_a_time_is_stamped_and_has_none() -> None:
    given_body = {"id": "e", "source": "s", "type": "t"}
    event = stamp_reception(from_mapping(given_body), NOON)
    assert (event.interval, event.envelope) == (None, {**given_body, "receivedtime": at(0)})


@pytest.mark.parametrize("wrong", ["yesterday", 7, "2026-01-01T12:00:00", True])
def test_a_receivedtime_that_is_no_time_is_refused_where_it_counts(wrong: Any) -> None:
    event = from_mapping(body("e", 1, receivedtime=wrong))
    with pytest.raises(EventProblem, match="receivedtime") as problem:
        stamp_reception(event, NOON)
    assert problem.value.token == "receivedtime"


@given(
    st.floats(0, 9).map(lambda n: round(n, 3)),
    st.none() | st.floats(0, 9).map(lambda n: round(n, 3)),
    st.none() | st.floats(0, 9).map(lambda n: round(n, 3)),
)
def test_what_was_received_once_is_the_same_ever_after(
    start: float, stamp: float | None, now: float | None
) -> None:
    assume(stamp is not None or now is not None)
    more = {} if stamp is None else {"receivedtime": at(stamp)}
    instant = None if now is None else NOON + round(now * 1e6)
    event = stamp_reception(from_mapping(body("e", start, **more)), instant)
    for again in (
        stamp_reception(event, NOON + 10**9),
        decode(encode(event)),
        stamp_reception(decode(encode(event))),
    ):
        assert (again.envelope, again.interval) == (event.envelope, event.interval)
    assert event.interval is not None
    assert event.interval.end >= event.interval.start


def test_a_hub_stamps_what_it_receives_and_the_log_gives_the_same_again() -> None:
    times = iter(NOON + second * 1_000_000 for second in (4, 6))
    hub = tocsin.Hub(interval="reception", lateness="0s")
    hub._core._reception = lambda: next(times)
    hub.subscribe(OVERLAP.expression, language="opsl", id="overlap", options=OVERLAP.options)
    hub.publish(body("a", 1))
    hub.publish(body("b", 3))
    (match,) = hub.advance_to("2026-01-01T13:00:00Z")
    assert [interval(each) for each in match.members] == [(1, 4), (3, 6)]
    assert match.detected == NOON + 6_000_000

    plan = {"overlap": compile_subscription(OVERLAP)}
    log = [encode(each).encode() for each in match.members]
    for ends in EventEndRule:
        assert match_events(plan, read_events(log, ends=ends)) == [match]


def test_without_the_option_nothing_is_stamped_and_receivedtime_is_an_attribute_like_any() -> None:
    hub = tocsin.Hub()
    hub.subscribe("", id="s")
    (match,) = hub.publish(body("a", 1, receivedtime="whenever"))
    assert match.members[0].envelope == {
        name: value
        for name, value in body("a", 1, receivedtime="whenever").items()
        if name != "data"
    }
    assert match.end == NOON + 1_000_000


def test_a_hub_stamps_with_the_wall_clock() -> None:
    hub = tocsin.Hub(interval="reception")
    hub.subscribe("", id="s")
    (match,) = hub.publish(body("a", 1))
    assert match.end is not None
    assert match.end > NOON
    assert format_instant(match.end) == match.members[0].envelope["receivedtime"]


def test_a_wrong_receivedtime_is_a_dead_letter_and_the_next_event_is_served() -> None:
    hub = tocsin.Hub(interval="reception")
    hub.subscribe("", id="s")
    assert [each.events for each in hub.publish(body("a", 1, receivedtime="x"), body("b", 1))] == [
        ("b",)
    ]
    assert "receivedtime" in hub.dead_letters[0].reason


def test_an_unknown_interval_is_refused() -> None:
    with pytest.raises(
        MeaningProblem,
        match="IntervalError: interval 'receipt' is not known; one of start, reception",
    ):
        tocsin.Hub(interval="receipt")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_the_command_line_ends_events_when_they_were_received(tmp_path: Path, engine: str) -> None:
    subscriptions, events, letters = (tmp_path / name for name in ("s.jsonl", "e.jsonl", "d.jsonl"))
    subscriptions.write_text(lines_of([OVERLAP.as_json()]))
    bodies = [
        body("a1", 1, receivedtime=at(4)),
        body("b1", 3, receivedtime=at(6)),
        body("a2", 20),
        body("b2", 21, receivedtime=at(22)),
        body("a3", 30, receivedtime="x"),
    ]
    events.write_text(lines_of(bodies))
    done = command(
        "match",
        subscriptions,
        events,
        "--engine",
        engine,
        "--interval",
        "reception",
        "--dead-letters",
        letters,
    )
    (match,) = map(json.loads, done.stdout.splitlines())
    assert (match["events"], match["detected"]) == (["a1", "b1"], at(6))
    assert [json.loads(line)["line"] for line in letters.read_text().splitlines()] == [5]
    assert command("match", subscriptions, events, "--engine", engine).stdout == ""
    assert command("match", subscriptions, events, "--interval", "receipt").returncode == 2
