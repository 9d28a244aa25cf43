"""Dates and times as documents write them (ISO 8601, as in XML Schema): a day, or a moment of it.

A day is `2026-01-31`, with or without a zone; a moment is `2026-01-31T08:30`, optionally with
seconds, a fraction and a zone. Without a zone it is UTC. A day compares as its first moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from tocsin.values.time import Instant, format_instant

_WRITTEN = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,30}))?)?(Z|z|[+-]\d\d:[0-5]\d)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Date:
    """A day or a moment: its first instant, its fields as shown (a moment in UTC), and its text."""

    instant: Instant
    fields: datetime
    text: str


def date_of(text: str) -> Date | None:
    """Return the date of a text; None if it is not one. Cut off digits past microseconds."""
    found = _WRITTEN.fullmatch(text.strip(_SPACE))
    if found is None or (found[4] and not found[3]):
        return None
    day, minutes, seconds, fraction, zone = found.groups()
    try:
        shown = datetime.fromisoformat(f"{day}T{minutes or '00:00'}{seconds or ':00'}")
        shown += timedelta(microseconds=int((fraction or "0")[:6].ljust(6, "0")))
        moment = shown.replace(tzinfo=_zone(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    since = moment - _EPOCH
    instant = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if minutes is None:
        return Date(instant, shown, day)
    return Date(instant, moment.replace(tzinfo=None), format_instant(instant))


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    ahead = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    return timezone(-ahead if text[0] == "-" else ahead)
