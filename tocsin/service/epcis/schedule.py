"""The schedule of a query subscription (EPCIS 2.0, section 8.2.5.3): when its query runs again.

Each of six fields lists the values that a time may have: numbers, ranges in brackets and lists of
these ("1,15,[20-25]"). Ranges without brackets, `*` and steps ("0/30", "*/5") are accepted too, as
in cron. A missing field allows every value, but fields finer than the coarsest given one have their
lowest value only: `{"hour": "1"}` is once a day. Times are in UTC. If both kinds of day are given,
both must fit.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tocsin.service.epcis.exceptions import SUBSCRIPTION_CONTROLS, EpcisException
from tocsin.values.time import Instant

FIELDS: Mapping[str, tuple[int, int]] = {
    "second": (0, 59),
    "minute": (0, 59),
    "hour": (0, 23),
    "dayOfMonth": (1, 31),
    "month": (1, 12),
    "dayOfWeek": (1, 7),
}
"""Fields from the finest on, with their lowest and highest values; Monday is 1."""

_PIECE = re.compile(r"(?:\[(\d+)-(\d+)\]|(\d+)-(\d+)|(\d+)|(\*))(?:/(\d+))?")
_LONGEST = 500
_CLOCK = ("second", "minute", "hour")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_YEARS = 9
"""Years searched: any day of a month meets any day of the week within them, leap years included, or
never.
"""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The values that each field of a time may have."""

    second: frozenset[int]
    minute: frozenset[int]
    hour: frozenset[int]
    day_of_month: frozenset[int]
    month: frozenset[int]
    day_of_week: frozenset[int]

    def next_after(self, instant: Instant) -> Instant | None:
        """Return the first time of the schedule after an instant; None if no time ever fits."""
        moment = (_EPOCH + timedelta(microseconds=instant)).replace(microsecond=0)
        moment += timedelta(seconds=1)
        for _ in range(_YEARS * 366):
            found = self._on_day(moment) if self._has_day(moment) else None
            if found is not None:
                return (found - _EPOCH) // _MICROSECOND
            moment = _next_day(moment)
        return None

    def _has_day(self, moment: datetime) -> bool:
        return (
            moment.month in self.month
            and moment.day in self.day_of_month
            and moment.isoweekday() in self.day_of_week
        )

    def _on_day(self, since: datetime) -> datetime | None:
        """Return the first time that fits on the day, not before the given one, or None."""
        start = (since.hour, since.minute, since.second)
        for hour in sorted(self.hour):
            for minute in sorted(self.minute) if hour >= start[0] else ():
                for second in sorted(self.second):
                    if (hour, minute, second) >= start:
                        return since.replace(hour=hour, minute=minute, second=second)
        return None


def read_schedule(given: Any) -> Schedule:
    """Return the schedule of a JSON object; raise EpcisException for an unknown field or a wrong
    value.
    """
    if not isinstance(given, Mapping) or not given:
        raise _wrong("schedule", "a schedule is an object with at least one field")
    for name in given:
        if name not in FIELDS:
            raise _wrong(str(name), f"a schedule has no field {name!r}")
    values = {name: _allowed(name, given) for name in FIELDS}
    found = Schedule(
        values["second"],
        values["minute"],
        values["hour"],
        values["dayOfMonth"],
        values["month"],
        values["dayOfWeek"],
    )
    if not _ever_fits(found):
        raise _wrong("dayOfMonth", "no month of the schedule has such a day")
    return found


def _allowed(name: str, given: Mapping[str, Any]) -> frozenset[int]:
    if name in given:
        return _values(name, given[name])
    low, high = FIELDS[name]
    coarser = list(FIELDS)[list(FIELDS).index(name) + 1 :]
    begins = name in _CLOCK and any(each in given for each in coarser)
    return frozenset((low,)) if begins else frozenset(range(low, high + 1))


def _values(name: str, given: Any) -> frozenset[int]:
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
        raise _wrong(name, f'{name} is a text, as in "0" or "[1-5],10"')
    return frozenset(value for piece in text.split(",") for value in _range(name, piece.strip()))


def _range(name: str, piece: str) -> range:
    low, high = FIELDS[name]
    found = _PIECE.fullmatch(piece)
    if found is None:
        raise _wrong(name, f"{name} does not know {piece!r}")
    first, last, from_, to, single, every, step = found.groups()
    if every:
        start, end = low, high
    elif single:
        start, end = int(single), high if step else int(single)
    else:
        start, end = int(first or from_), int(last or to)
    if not low <= start <= end <= high or step == "0":
        raise _wrong(name, f"{name} is from {low} to {high}, got {piece!r}")
    return range(start, end + 1, int(step or 1))


def _ever_fits(schedule: Schedule) -> bool:
    return any(
        day <= calendar.monthrange(2024, month)[1]  # a leap year
        for month in schedule.month
        for day in schedule.day_of_month
    )


def _next_day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0) + timedelta(days=1)


def _wrong(token: str, detail: str) -> EpcisException:
    return EpcisException(
        SUBSCRIPTION_CONTROLS,
        detail,
        code="ScheduleError",
        token=token,
        hint='write it like {"hour": "1", "minute": "5"}; fields are ' + ", ".join(FIELDS),
    )
