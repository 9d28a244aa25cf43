"""Time: what RFC 3339 and duration texts mean, and that nothing else is taken for one."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import MeaningProblem
from tocsin.values.time import Interval, format_instant, parse_duration, parse_instant

SECOND = 1_000_000
DAY = 86_400 * SECOND
moments = st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31))
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1970-01-02T00:00:00Z", DAY),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T19:00:00-05:00", 0),
        ("1970-01-01t00:00:00.5z", SECOND // 2),
        ("1970-01-01 00:00:00.000001Z", 1),
        ("1970-01-01T00:00:00.0000019Z", 1),
        ("2000-02-29T00:00:00Z", 951_782_400 * SECOND),
        ("1970-01-01T00:00:00-00:00", 0),
    ],
)
def test_an_rfc3339_time_is_microseconds_since_1970(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00 Z",
        "2026-1-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+01:60",
        "2026-01-01T00:00:00Z\n",
        "٢٠٢٦-01-01T00:00:00Z",
        "20260101T000000Z",
        "2026-W01-1T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
    ],
)
def test_what_is_not_an_rfc3339_time_is_refused(text: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        parse_instant(text)
    assert caught.value.code == "MeaningError"


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "0999-06-01T12:00:00.1Z"]
)
def test_the_first_and_the_last_times_are_written_as_they_were_read(text: str) -> None:
    assert format_instant(parse_instant(text)) == text


@given(moments, offsets)
def test_parsing_agrees_with_the_calendar(moment: datetime, zone: timezone) -> None:
    aware = moment.replace(tzinfo=zone)
    since = aware.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    assert parse_instant(aware.isoformat()) == since // timedelta(microseconds=1)


@given(
    st.integers(parse_instant("0001-01-01T00:00:00Z"), parse_instant("9999-12-31T23:59:59.999999Z"))
)
def test_a_written_instant_reads_back(instant: int) -> None:
    assert parse_instant(format_instant(instant)) == instant


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("500ms", 500_000),
        ("2s", 2 * SECOND),
        ("2 seconds", 2 * SECOND),
        (" 10M ", 600 * SECOND),
        ("1h", 3_600 * SECOND),
        ("2d", 2 * DAY),
        ("7us", 7),
        ("1.5h", 5_400 * SECOND),
        ("0s", 0),
        ("PT1H30M", 5_400 * SECOND),
        ("P1D", DAY),
        ("P2W", 14 * DAY),
        ("P1DT0.5S", DAY + SECOND // 2),
        ("PT0.000001S", 1),
        ("PT0S", 0),
    ],
)
def test_a_duration_is_microseconds(text: str, length: int) -> None:
    assert parse_duration(text) == length


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "s",
            "5",
            "-1s",
            "1 fortnight",
            "1e3s",
            "P",
            "PT",
            "P1DT",
            "P1M",
            "P1Y",
            "PT-1S",
            "1h30m",
            "٢s",
            "nan s",
        ),
        *("9" * 5_000 + "s", "9" * 400 + ".5d", "PT" + "9" * 5_000 + "S"),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    with pytest.raises(MeaningProblem):
        parse_duration(text)


def test_an_interval_may_be_an_instant_but_never_ends_before_it_starts() -> None:
    assert Interval(3, 3).start == Interval(3, 3).end
    with pytest.raises(MeaningProblem):
        Interval(4, 3)


@given(moments, offsets)
def test_a_datetime_with_a_zone_is_the_instant_that_its_text_is(
    moment: datetime, zone: timezone
) -> None:
    there = moment.replace(tzinfo=zone)
    assert parse_instant(there) == parse_instant(there.isoformat())


@pytest.mark.parametrize(
    ("given_time", "says"),
    [
        (datetime(2026, 1, 31, 8), "no zone.*tzinfo=UTC"),
        (date(2026, 1, 31), "a date, not a time.*2026-01-31T08:00:00Z"),
        (1_767_225_600, "int, not a time"),
        (None, "NoneType, not a time"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "outside of the years"),
    ],
)
def test_what_is_no_instant_says_what_is(given_time: Any, says: str) -> None:
    with pytest.raises(MeaningProblem) as raised:
        parse_instant(given_time)
    assert re.search(says, str(raised.value))


def test_a_timedelta_is_a_duration() -> None:
    assert parse_duration(timedelta(minutes=1, microseconds=1)) == 60 * SECOND + 1
    assert parse_duration(timedelta(0)) == 0


@pytest.mark.parametrize(
    ("given_length", "says"),
    [
        (5, 'number without a unit.*"5s"'),
        (2.5, 'number without a unit.*"2.5s"'),
        (True, "not a duration"),
        (None, "not a duration"),
        (timedelta(seconds=-1), "not a duration"),
    ],
)
def test_what_is_no_duration_says_what_is(given_length: Any, says: str) -> None:
    with pytest.raises(MeaningProblem) as raised:
        parse_duration(given_length)
    assert re.search(says, str(raised.value))
