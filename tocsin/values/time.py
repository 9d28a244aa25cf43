"""Time: instants are integer microseconds UTC since 1970; intervals are closed; an instant is [t,
t].
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from tocsin.errors import MeaningProblem

Instant = int
Duration = int

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # written without an offset, which is Z
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:[0-5]\d)", re.ASCII
)
_SHORT = re.compile(r"\s*(\d{1,18}(?:\.\d{1,18})?)\s*([a-z]+)\s*", re.ASCII)
_ISO8601 = re.compile(
    r"P(?:(\d{1,18})W)?(?:(\d{1,18})D)?"
    r"(?:T(?:(\d{1,18})H)?(?:(\d{1,18})M)?(?:(\d{1,18})(?:\.(\d{1,6}))?S)?)?",
    re.ASCII,
)
_SECOND = 1_000_000
_FIRST, _LAST = -62_135_596_800 * _SECOND, 253_402_300_800 * _SECOND - 1
_DAY = 86_400 * _SECOND

FIRST_INSTANT: Instant = _FIRST + 2 * _DAY
LAST_INSTANT: Instant = _LAST - 2 * _DAY
"""First and last instant of events and clocks: 0001-01-03 to the end of 9999-12-29, in UTC.

Zones are less than a day away from UTC, so every such instant has a year from 1 to 9999 in any
zone, which is all that Python, Arrow and Spark can hold. A later deadline never fires.
"""

_UNITS = {
    unit: length
    for units, length in (
        (("us", "microsecond", "microseconds"), 1),
        (("ms", "millisecond", "milliseconds"), 1_000),
        (("s", "second", "seconds"), _SECOND),
        (("m", "min", "minute", "minutes"), 60 * _SECOND),
        (("h", "hour", "hours"), 3_600 * _SECOND),
        (("d", "day", "days"), 86_400 * _SECOND),
    )
    for unit in units
}


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """The closed interval [start, end]; start is never after end."""

    start: Instant
    end: Instant

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise MeaningProblem(
                f"an interval starts before it ends, got [{self.start}, {self.end}]"
            )


_set_start, _set_end = (Interval.__dict__[name].__set__ for name in ("start", "end"))
_make = object.__new__


def ordered_interval(start: Instant, end: Instant) -> Interval:
    """Return the interval of two instants known to be in order; takes a third of the time."""
    interval = _make(Interval)
    _set_start(interval, start)
    _set_end(interval, end)
    return interval


def parse_instant(text: str | datetime) -> Instant:
    """Return the microseconds of an RFC 3339 time in the years 1 to 9999 of UTC.

    So it can be written back. The offset is required; digits past the microsecond are cut off. A
    datetime with a zone is taken as it is.
    """
    if not isinstance(text, str):
        return _instant_of_object(text)
    if _RFC3339.fullmatch(text) is None:
        raise MeaningProblem(
            f"{text!r} is not an RFC 3339 time",
            hint="write it like 2026-01-31T08:00:00Z, with a zone",
        )
    try:
        since = datetime.fromisoformat(text.upper()) - _EPOCH
    except (ValueError, OverflowError) as error:
        raise MeaningProblem(f"{text!r} is not a time: {error}") from None
    instant = (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds
    return instant if _FIRST <= instant <= _LAST else _within_years(instant, text)


def _within_years(instant: Instant, text: str) -> Instant:
    if not _FIRST <= instant <= _LAST:
        raise MeaningProblem(f"{text!r} is not a time: in UTC it is outside of the years 1 to 9999")
    return instant


def _instant_of_object(given: object) -> Instant:
    """Return the instant of a datetime with a zone. Raises for anything else: a date is not an
    instant, and a number has no epoch.
    """
    if isinstance(given, datetime) and given.utcoffset() is not None:
        return _within_years(_microseconds(given - _EPOCH), given.isoformat())
    if isinstance(given, datetime):
        raise MeaningProblem(
            f"the datetime {given.isoformat()} has no zone",
            token=given.isoformat(),
            hint=(
                "say which: datetime(..., tzinfo=UTC), or given.astimezone(UTC) for a time of this"
                " machine"
            ),
        )
    kind = (
        "a date, not a time" if isinstance(given, date) else f"{type(given).__name__}, not a time"
    )
    raise MeaningProblem(
        f"{given!r} is {kind}",
        token=str(given),
        hint='give a text like "2026-01-31T08:00:00Z", or a datetime with a zone',
    )


def _microseconds(span: timedelta) -> int:
    """Return the microseconds of a timedelta; exact, and faster than dividing timedeltas."""
    return (span.days * 86_400 + span.seconds) * _SECOND + span.microseconds


def require_event_time(instant: Instant, text: str) -> Instant:
    """Return the instant if an event may have it; else raise, quoting the text given."""
    if not FIRST_INSTANT <= instant <= LAST_INSTANT:
        first, last = format_instant(FIRST_INSTANT), format_instant(LAST_INSTANT)
        raise MeaningProblem(
            f"{text!r} is not from {first} to {last}, as the times of events are",
            hint="leave the time out where it is not known, and mend the clock that tells it",
        )
    return instant


def is_instant(value: object) -> bool:
    """True if the value is a whole number of microseconds within the years 1 to 9999."""
    return isinstance(value, int) and _FIRST <= value <= _LAST


def format_instant(instant: Instant) -> str:
    """Return RFC 3339 in UTC, with a fraction of a second only if it is not zero.

    An instant before year 1 or after 9999 (the bound of a window, say) is written as the first or
    last instant.
    """
    if not _FIRST <= instant <= _LAST:
        instant = max(_FIRST, min(instant, _LAST))
    seconds, micros = divmod(instant, _SECOND)
    text = _format_second(seconds)
    return f"{text}.{micros:06}".rstrip("0") + "Z" if micros else f"{text}Z"


@lru_cache(1024)
def _format_second(seconds: int) -> str:
    """Return a whole second without a zone; times of events are near one another."""
    return (_NAIVE_EPOCH + timedelta(seconds=seconds)).isoformat()


def parse_duration(text: str | timedelta) -> Duration:
    """Return the microseconds of `500ms`, `2s`, `10m`, `1h`, `2d`, `2 seconds` or ISO 8601.

    ISO 8601 without months and years. A timedelta is taken as it is, unless it is negative.
    """
    if not isinstance(text, str):
        return _duration_of_object(text)
    if short := _SHORT.fullmatch(text.lower()):
        number, unit = short.groups()
        if unit in _UNITS:
            return (
                round(float(number) * _UNITS[unit]) if "." in number else int(number) * _UNITS[unit]
            )
    iso = _ISO8601.fullmatch(text)
    if iso and any(iso.groups()) and not text.endswith("T"):
        weeks, days, hours, minutes, seconds = (int(part or 0) for part in iso.groups()[:5])
        whole = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
        return whole * _SECOND + int((iso.group(6) or "").ljust(6, "0"))
    raise MeaningProblem(
        f"{text!r} is not a duration", hint="write it like 500ms, 2s, 10m, 1h, 2d or PT1H30M"
    )


def _duration_of_object(given: object) -> Duration:
    if isinstance(given, timedelta) and given >= timedelta(0):
        return _microseconds(given)
    if isinstance(given, int | float) and not isinstance(given, bool):
        raise MeaningProblem(
            f"{given!r} is a number without a unit, not a duration",
            token=str(given),
            hint=f'say the unit, as in "{given}s" or "{given}ms"',
        )
    raise MeaningProblem(
        f"{given!r} is not a duration",
        token=str(given),
        hint='give a text like "500ms", "2s" or "10m", or a timedelta',
    )


def format_duration(duration: Duration) -> str:
    """Return a duration in the largest units that write it exactly, such as `1h 30m` or `2s`."""
    if duration == 0:
        return "0s"
    words, rest = [], abs(duration)
    for unit in ("d", "h", "m", "s", "ms", "us"):
        count, rest = divmod(rest, _UNITS[unit])
        if count:
            words.append(f"{count}{unit}")
    return ("-" if duration < 0 else "") + " ".join(words)
