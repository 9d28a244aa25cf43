"""Subscriptions of queries: receiver, schedule and start, and their JSON.

The schedule says when the query runs again (EPCIS 2.0, section 8.2.5.3). Each of six fields lists
the values that a time may have: numbers, ranges in brackets and lists of these ("1,15,[20-25]").
Ranges without brackets, `*` and steps ("0/30", "*/5") are accepted too, as in cron. A missing field
allows every value, but fields finer than the coarsest given one have their lowest value only:
`{"hour": "1"}` is once a day. Times are in UTC. If both kinds of day are given, both must fit.
"""

from __future__ import annotations

import calendar
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.service.epcis.documents import EPC_FORMATS
from tocsin.service.epcis.exceptions import SUBSCRIPTION_CONTROLS, EpcisException
from tocsin.values.time import Instant, format_instant, parse_instant

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
        raise _wrong_field("schedule", "a schedule is an object with at least one field")
    for name in given:
        if name not in FIELDS:
            raise _wrong_field(str(name), f"a schedule has no field {name!r}")
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
        raise _wrong_field("dayOfMonth", "no month of the schedule has such a day")
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
        raise _wrong_field(name, f'{name} is a text, as in "0" or "[1-5],10"')
    return frozenset(value for piece in text.split(",") for value in _range(name, piece.strip()))


def _range(name: str, piece: str) -> range:
    low, high = FIELDS[name]
    found = _PIECE.fullmatch(piece)
    if found is None:
        raise _wrong_field(name, f"{name} does not know {piece!r}")
    first, last, from_, to, single, every, step = found.groups()
    if every:
        start, end = low, high
    elif single:
        start, end = int(single), high if step else int(single)
    else:
        start, end = int(first or from_), int(last or to)
    if not low <= start <= end <= high or step == "0":
        raise _wrong_field(name, f"{name} is from {low} to {high}, got {piece!r}")
    return range(start, end + 1, int(step or 1))


def _ever_fits(schedule: Schedule) -> bool:
    return any(
        day <= calendar.monthrange(2024, month)[1]  # a leap year
        for month in schedule.month
        for day in schedule.day_of_month
    )


def _next_day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0) + timedelta(days=1)


def _wrong_field(token: str, detail: str) -> EpcisException:
    return EpcisException(
        SUBSCRIPTION_CONTROLS,
        detail,
        code="ScheduleError",
        token=token,
        hint='write it like {"hour": "1", "minute": "5"}; fields are ' + ", ".join(FIELDS),
    )


_MEMBERS = ("dest", "signatureToken", "stream", "schedule", "initialRecordTime", "reportIfEmpty")
_TRUTH = {"true": True, "false": False, True: True, False: False}


@dataclass(frozen=True, slots=True)
class ReportSchedule:
    """Times at which a query runs again: after each capture, or by a schedule."""

    schedule: Mapping[str, Any] | None = None
    initial: Instant | None = None
    report_if_empty: bool = False
    epc_format: str = EPC_FORMATS[0]

    @property
    def is_stream(self) -> bool:
        """True if it reports new events at once."""
        return self.schedule is None

    def next_after(self, now: Instant) -> Instant | None:
        """Return the next time of the schedule; None for a stream."""
        return None if self.schedule is None else read_schedule(self.schedule).next_after(now)


@dataclass(frozen=True, slots=True)
class QuerySubscription:
    """A receiver of a query's results, with its cursor."""

    id: str
    tenant: str
    query: str
    terms: ReportSchedule
    dest: str
    created: Instant
    token: str = ""
    cursor: int = 0
    due: Instant | None = None
    notified: Instant | None = None
    minimum: Instant | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object for the API, without the secret."""
        terms = self.terms
        told: dict[str, Any] = {
            "subscriptionID": self.id,
            "queryName": self.query,
            "dest": self.dest,
            "createdAt": format_instant(self.created),
        }
        told |= {"stream": True} if terms.is_stream else {"schedule": terms.schedule}
        if not terms.is_stream:
            told["reportIfEmpty"] = terms.report_if_empty
        times = {
            "initialRecordTime": terms.initial,
            "lastNotifiedAt": self.notified,
            "minRecordTime": self.minimum,
        }
        told |= {name: format_instant(time) for name, time in times.items() if time is not None}
        return told | {"epcFormat": terms.epc_format}

    def stored(self) -> dict[str, Any]:
        """Return the part that is stored as JSON; the rest are columns."""
        return {
            "dest": self.dest,
            "token": self.token,
            "created": self.created,
            "minimum": self.minimum,
            "schedule": self.terms.schedule,
            "initial": self.terms.initial,
            "report": self.terms.report_if_empty,
            "format": self.terms.epc_format,
        }

    def moved(
        self, cursor: int, due: Instant | None, now: Instant, *, was_notified: bool
    ) -> QuerySubscription:
        """Return the subscription after a run of its query; `due` is the time of the next one."""
        return replace(
            self,
            cursor=cursor,
            due=due,
            notified=now if was_notified else self.notified,
            minimum=now,
        )


def read_terms(body: Mapping[str, Any], epc_format: str) -> ReportSchedule:
    """Return the terms of a subscription; raise EpcisException unless it has either a schedule or a
    stream.
    """
    stream = _flag(body, "stream", default=False)
    schedule = body.get("schedule")
    if stream == (schedule is not None):
        raise _wrong("stream", "a subscription has either stream: true or a schedule")
    if schedule is not None:
        read_schedule(schedule)
    if stream and "reportIfEmpty" in body and _flag(body, "reportIfEmpty", default=False):
        raise _wrong("reportIfEmpty", "a stream reports when there is something: never if empty")
    return ReportSchedule(
        schedule,
        _time(body, "initialRecordTime"),
        _flag(body, "reportIfEmpty", default=False),
        epc_format,
    )


def terms_of_url(given: Mapping[str, str], epc_format: str) -> ReportSchedule:
    """Return the terms in the URL of a WebSocket."""
    body: dict[str, Any] = {
        name: given[name]
        for name in ("stream", "initialRecordTime", "reportIfEmpty")
        if name in given
    }
    if schedule := {name: given[name] for name in FIELDS if name in given}:
        body["schedule"] = schedule
    return read_terms(body, epc_format)


def read_receiver(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return the URL and the secret of a receiver; it is not checked if the URL may be reached."""
    if unknown := sorted(set(body) - set(_MEMBERS)):
        raise _wrong(unknown[0], f"a subscription has no member {unknown[0]!r}")
    dest, token = body.get("dest"), body.get("signatureToken", "")
    if not isinstance(dest, str) or not dest:
        raise _wrong("dest", "dest is the address of the receiver")
    if not isinstance(token, str) or len(token) > 1000:
        raise _wrong("signatureToken", "signatureToken is a text of up to 1000 characters")
    return dest, token


def signature(token: str, body: bytes) -> str:
    """Return the value of GS1-Signature: the HMAC-SHA256 of the body, keyed by the token."""
    return "sha256=" + hmac.new(token.encode(), body, sha256).hexdigest()


def _flag(body: Mapping[str, Any], name: str, *, default: bool) -> bool:
    given = body.get(name, default)
    if not isinstance(given, str | bool) or given not in _TRUTH:
        raise _wrong(name, f"{name} is true or false")
    return _TRUTH[given]


def _time(body: Mapping[str, Any], name: str) -> Instant | None:
    given = body.get(name)
    if given is None:
        return None
    try:
        return parse_instant(given if isinstance(given, str) else "")
    except MeaningProblem as problem:
        raise _wrong(name, f"{name}: {problem.message}", problem.hint) from None


def _wrong(token: str, detail: str, hint: str = "") -> EpcisException:
    return EpcisException(
        SUBSCRIPTION_CONTROLS,
        detail,
        token=token,
        hint=hint or 'write {"dest": "https://example.org/hook", "stream": true}',
    )
