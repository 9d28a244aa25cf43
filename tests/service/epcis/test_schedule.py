"""The schedule of a query subscription: the next time after an instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tocsin.service.epcis.exceptions import EpcisException
from tocsin.service.epcis.query_subscriptions import FIELDS, read_schedule
from tocsin.values.time import format_instant, parse_instant


def after(schedule, time):
    found = read_schedule(schedule).next_after(parse_instant(time))
    return None if found is None else format_instant(found)


@pytest.mark.parametrize(
    ("schedule", "now", "next_time"),
    [
        ({"hour": "1", "minute": "5"}, "2026-01-01T00:00:00Z", "2026-01-01T01:05:00Z"),
        ({"hour": "1", "minute": "5"}, "2026-01-01T01:05:00Z", "2026-01-02T01:05:00Z"),
        ({"hour": "1"}, "2026-01-01T01:00:00.5Z", "2026-01-02T01:00:00Z"),
        ({"second": "0/30"}, "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z"),
        ({"second": "0/30"}, "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"),
        ({"second": "[10-12],40"}, "2026-01-01T00:00:12Z", "2026-01-01T00:00:40Z"),
        ({"minute": "*/15"}, "2026-01-01T23:50:00Z", "2026-01-02T00:00:00Z"),
        ({"dayOfWeek": "1"}, "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"),
        ({"dayOfMonth": "29", "month": "2"}, "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ({"month": "3", "hour": "7"}, "2026-04-01T00:00:00Z", "2027-03-01T07:00:00Z"),
        ({"hour": 4}, "2026-01-01T00:00:00Z", "2026-01-01T04:00:00Z"),
    ],
)
def test_next_time(schedule, now, next_time):
    assert after(schedule, now) == next_time


@pytest.mark.parametrize(
    "schedule",
    [
        *({}, None, "hourly", []),
        {"hours": "1"},
        {"hour": "24"},
        {"hour": "[5-2]"},
        {"hour": "x"},
        {"hour": ""},
        {"hour": True},
        {"minute": "0/0"},
        {"dayOfMonth": "0"},
        {"dayOfMonth": "31", "month": "2,4"},
        {"second": "1," * 1000},
    ],
)
def test_wrong_schedule_is_refused(schedule):
    with pytest.raises(EpcisException) as caught:
        read_schedule(schedule)
    assert caught.value.as_json()["type"] == "epcisException:SubscriptionControlsException"


def _fits(moment: datetime, schedule: dict[str, str]) -> bool:
    """By the definition: each given field has the value; finer clocks are at their start."""
    now = {
        "second": moment.second,
        "minute": moment.minute,
        "hour": moment.hour,
        "dayOfMonth": moment.day,
        "month": moment.month,
        "dayOfWeek": moment.isoweekday(),
    }
    names = list(FIELDS)
    coarsest = max(names.index(name) for name in schedule)
    clocks = [name for name in ("second", "minute", "hour") if name not in schedule]
    at_start = all(now[name] == 0 for name in clocks if names.index(name) < coarsest)
    return at_start and all(now[name] == int(value) for name, value in schedule.items())


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(st.sampled_from(("second", "minute", "hour")), st.integers(0, 23), min_size=1),
    st.integers(0, 86_400 * 3),
)
def test_next_time_is_the_first_that_fits(schedule, offset):
    texts = {name: str(value) for name, value in schedule.items()}
    now = datetime(2026, 2, 27, tzinfo=UTC) + timedelta(seconds=offset)
    found = datetime.fromisoformat(after(texts, now.isoformat()))
    assert _fits(found, texts)
    steps = int((found - now).total_seconds())
    step = 1 if "second" in texts else 60 if "minute" in texts else 3600
    start = now.replace(second=0) if step > 1 else now
    between = (start + timedelta(seconds=each) for each in range(step, steps, step))
    assert not any(_fits(each, texts) for each in between if now < each < found)
