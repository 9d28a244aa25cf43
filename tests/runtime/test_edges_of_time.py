"""Times at the edges: what not every host can hold in every zone is refused at the door of each, in
the same words; what is within is served by each, and a deadline after all time never comes.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tocsin
from tests.builders import event_json
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS, scan_events
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.reference import matches
from tocsin.runtime.finite_run import Input, match_events, read_events
from tocsin.values.time import FIRST_INSTANT, LAST_INSTANT, format_instant, parse_instant

FAR_ZONES = [timezone(timedelta(hours=hours)) for hours in (-23, -18, -12, 12, 14, 18, 23)]
DAYS = [
    *("0000-12-31", "0001-01-01", "0001-01-02", "0001-01-03", "0001-01-04", "1969-12-31"),
    *("2016-12-31", "9999-12-28", "9999-12-29", "9999-12-30", "9999-12-31", "10000-01-01"),
    *("-0001-01-01", "+10000-01-01", "2023-02-29", "0001-1-3", "1600-02-29"),
]
CLOCKS = [
    *("00:00:00", "23:59:59", "23:59:60", "24:00:00", "12:30:00.5", "25:00:00", "12:60:00"),
    *("23:59:59.999999", "23:59:59.9999999", "00:00:00.00000000000000000001", "12:30"),
]
ZONES = [
    *("Z", "z", "+00:00", "-00:00", "+14:00", "-14:00", "+18:00", "-18:00", "+23:59", "-23:59"),
    *("+24:00", "", "+1400", " Z", "[UTC]"),
]
MEANT_FOR_ALL = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")
"""The zero time of some languages, and the last time that is written."""

TIMES = st.one_of(
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(DAYS),
        st.sampled_from("Tt "),
        st.sampled_from(CLOCKS),
        st.sampled_from(ZONES),
    ),
    st.builds(
        lambda edge, shift: _written(edge + shift),
        st.sampled_from([FIRST_INSTANT, LAST_INSTANT]),
        st.integers(-(4 * 86_400_000_000), 4 * 86_400_000_000) | st.integers(-2, 2),
    ),
)
NAMES = (
    Definition("A", language="selector", expression="kind = 'a'"),
    Definition("B", language="selector", expression="kind = 'b'"),
)
SUBSCRIPTIONS = (
    Subscription("any", "selector", "ce_id LIKE '%'"),
    Subscription("silence", "opsl", "!(A; 10d)B"),
    Subscription("before", "rule", "WHEN NO b WITHIN 10d THEN A"),
    Subscription("pair", "opsl", "=|(A; 1h)(A)"),
    Subscription("counted", "rule", "WHEN COUNT(A) >= 1 OVER 30d EVERY 1d"),
    Subscription("quiet", "rule", "WHEN COUNT(b) = 0 OVER 3d EVERY 1d"),
)


def _written(instant: int) -> str:
    """An instant as text, or what comes next to it where there is none."""
    try:
        return format_instant(instant)
    except OverflowError:
        return "10000-01-01T00:00:00Z"


def given_at(time: str, id: str = "e", **more: Any) -> dict[str, Any]:
    return event_json(id, time=time, data={"kind": "a"}, **more)


def problem_of(body: dict[str, Any]) -> str | None:
    try:
        decode(json.dumps(body))
    except Problem as problem:
        return problem.message
    return None


@given(TIMES)
@example(MEANT_FOR_ALL[0])
@example(MEANT_FOR_ALL[1])
def test_what_is_accepted_has_a_year_from_1_to_9999_in_every_zone(time: str) -> None:
    if problem_of(given_at(time)) is not None:
        return
    interval = decode(json.dumps(given_at(time))).interval
    assert interval is not None
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=interval.end)
    for zone in FAR_ZONES:
        assert 1 <= moment.astimezone(zone).year <= 9999


@pytest.mark.parametrize("time", MEANT_FOR_ALL)
@pytest.mark.parametrize("name", ["time", "endtime"])
def test_a_clock_that_was_never_set_is_refused(time: str, name: str) -> None:
    told = problem_of(given_at("2026-01-01T00:00:00Z") | {name: time})
    assert told is not None
    assert told.startswith(f"{name}: ")


@given(TIMES, st.none() | TIMES)
def test_the_scanner_and_epcis_refuse_what_the_codec_refuses(time: str, end: str | None) -> None:
    body = given_at(time) | ({} if end is None else {"endtime": end})
    text = json.dumps(body).encode()
    told = problem_of(body)
    scanned = scan_events([text] * MIN_TEXTS)
    for each in scanned:
        assert each is None or (told is None and each.interval == decode(text).interval)
    event = {
        "type": "ObjectEvent",
        "eventTime": time,
        "eventTimeZoneOffset": "+14:00",
        "epcList": [],
        "action": "OBSERVE",
        "bizStep": "shipping",
    }
    document = {"@context": ["https://ref.gs1.org/standards/epcis/epcis-context.jsonld"], **event}
    if re.search(r"[Tt ]\d\d:\d\d(?!:)", time):
        return  # EPCIS may omit the seconds of a whole minute
    if problem_of(given_at(time)) is not None:
        with pytest.raises(Problem, match="eventTime"):
            decode_all(json.dumps(document))


def in_reference(lines: list[bytes], until: int | None) -> list[Match]:
    events = read_events(lines).events
    plans = {each.id: compile_subscription(each, NAMES) for each in SUBSCRIPTIONS}
    found = [match for id, plan in plans.items() for match in matches(id, plan, events, until)]
    return sorted(found, key=lambda match: match.order)


def in_file(lines: list[bytes], until: int | None) -> tuple[list[Match], Input]:
    given = read_events(lines)
    plans = {each.id: compile_subscription(each, NAMES) for each in SUBSCRIPTIONS}
    return match_events(plans, given, until), given


def told(found: list[Match]) -> list[str]:
    """Every match as a line: writing it raises nothing."""
    return sorted(match.line() for match in found)


EDGES = st.builds(
    lambda edge, shift: format_instant(edge + shift),
    st.sampled_from([FIRST_INSTANT + 86_400_000_000, LAST_INSTANT - 86_400_000_000]),
    st.integers(-86_400_000_000, 86_400_000_000)
    | st.sampled_from([-86_400_000_000, 86_400_000_000]),
)


@given(st.lists(EDGES, min_size=1, max_size=4))
@example(["9999-12-29T23:59:59.999999Z"])
@example(["0001-01-03T00:00:00Z"])
def test_what_is_within_is_served_by_all_and_no_deadline_is_after_time(times: list[str]) -> None:
    """In year 1 windows begin before all time, in year 9999 they end after it."""
    one_edge = [time for time in times if time[:1] == times[0][:1]]  # 10,000 years of windows apart
    bodies = [given_at(time, f"e{number}") for number, time in enumerate(one_edge)]
    lines = [json.dumps(body).encode() for body in bodies]
    found, given = in_file(lines, None)
    assert given.dead_letters == []
    assert told(found) == told(in_reference(lines, None))
    for match in found:
        assert match.detected is not None
        assert match.detected <= LAST_INSTANT
    if one_edge[0].startswith("9999"):
        last = "9999-12-31T23:59:59.999999Z"
        hub = tocsin.Hub(ahead=None, lateness="0s")
        hub.define(*NAMES)
        for each in SUBSCRIPTIONS:
            hub.subscribe(each.expression, language=each.language, id=each.id)
        in_order = sorted(bodies, key=lambda body: parse_instant(str(body["time"])))
        rung = [match for body in in_order for match in hub.publish(body)] + hub.advance_to(last)
        assert list(hub.dead_letters) == []
        assert told(rung) == told(in_file(lines, LAST_INSTANT)[0])


def test_an_event_is_accepted_up_to_the_edges_exactly() -> None:
    first, last = format_instant(FIRST_INSTANT), format_instant(LAST_INSTANT)
    events: list[Event] = [decode(json.dumps(given_at(time))) for time in (first, last)]
    assert [each.interval.end for each in events if each.interval] == [FIRST_INSTANT, LAST_INSTANT]
    for instant in (FIRST_INSTANT - 1, LAST_INSTANT + 1):
        assert problem_of(given_at(format_instant(instant))) is not None
