"""Mapping of the columns of a record to the fields of its event; equal names are mapped by default.

`id=nr,time=sent_at` maps fields to columns, or to paths inside XML and JSON (`seller.city`);
`type='offer'` is the same for every record; `lon=x,lat=y` make a place; `time=at:ms` counts since
1970. A time needs a zone, its own or the mapping's. An empty value counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import Any
from zoneinfo import ZoneInfo

from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.views.document import TEXT
from tocsin.values.time import FIRST_INSTANT, LAST_INSTANT, format_instant, parse_instant

FIELDS = ("id", "source", "type", "time", "endtime", "place")
TIMES = ("time", "endtime", "receivedtime")
_POINT = ("lon", "lat")
_FIELD = re.compile(r"[a-z0-9]{1,40}")
_COUNTED = re.compile(r"(.+):(s|ms|us)")
_MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}


@dataclass(frozen=True, slots=True)
class Columns:
    """Fields of an event with their columns in a record, and the zone of times that have none."""

    fields: Mapping[str, str] = field(default_factory=dict)
    zone: ZoneInfo | None = None

    @staticmethod
    def of(fields: Mapping[str, object], zone: str | None = None) -> Columns:
        """Return checked columns; `ce_` before a field is optional."""
        named = {name.removeprefix("ce_"): column for name, column in fields.items()}
        for name, column in named.items():
            if not isinstance(column, str) or not column:
                raise _refused(
                    f"{name} is mapped to {column!r}", name, "a column is a name, as in id=nr"
                )
            if _FIELD.fullmatch(name) is None:
                raise _refused(
                    f"{name!r} is no field of an event",
                    name,
                    f"fields: {', '.join(FIELDS + _POINT)}",
                )
        if len(set(named) & set(_POINT)) == 1:
            raise _refused("a place has two coordinates", "lon", "give both, as in lon=x,lat=y")
        return Columns({str(name): str(column) for name, column in named.items()}, _zone(zone))

    @staticmethod
    def parse(text: str, zone: str | None = None) -> Columns:
        """Parse `field=column,field=column`."""
        pairs = [part.partition("=") for part in text.split(",")]
        for name, equals, column in pairs:
            if not equals or not column.strip():
                raise _refused(
                    f"{name!r} maps nothing", name, "write field=column, as in id=nr,time=sent_at"
                )
        return Columns.of({name.strip(): column.strip() for name, _, column in pairs}, zone)

    def require(self, known: list[str]) -> None:
        """Raise if a column does not exist."""
        for name, column in self.fields.items():
            told = _COUNTED.fullmatch(column)
            if (
                not _is_constant(column)
                and column not in known
                and (told is None or told[1] not in known)
            ):
                near = get_close_matches(column, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"columns: {', '.join(known)[:300]}"
                raise _refused(f"there is no column {column!r} for {name}", column, hint)

    def with_own_names(self, known: list[str]) -> Columns:
        """Add columns with the name of a field, unless that field is mapped."""
        own = {name: name for name in FIELDS if name in known}
        return replace(self, fields={**own, **self.fields})

    def envelope(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a record, without empty ones."""
        found: dict[str, Any] = {}
        for name, column in self.fields.items():
            value = self._value(name, column, record)
            if value not in (None, ""):
                found[name] = value
        point = [found.pop(name, None) for name in _POINT]
        if None not in point:
            found["place"] = f"POINT ({point[0]} {point[1]})"
        return found

    def _value(self, name: str, column: str, record: Mapping[str, Any]) -> Any:
        if _is_constant(column):
            return column[1:-1]
        counted = _COUNTED.fullmatch(column) if name in TIMES and column not in record else None
        value = _at(record, counted[1] if counted else column)
        if value in (None, ""):
            return None
        if counted:
            return _counted(name, value, _MICROSECONDS[counted[2]])
        if name in TIMES:
            return _time_text(name, value, self.zone)
        return value if name == "place" else _text(name, value)


def _at(record: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column, else at a path; for an XML element its text. None if absent."""
    value: Any = record.get(column)
    if column not in record:
        value = record
        for step in column.split("."):
            value = value.get(step) if isinstance(value, dict) else None
    return value.get(TEXT) if isinstance(value, dict) and TEXT in value else value


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise EventProblem(
            f"{name}: expected a text or a number, got {type(value).__name__}", token=name
        )
    return str(value)


def _counted(name: str, value: object, unit: int) -> str:
    try:
        instant = int(Decimal(str(value)) * unit)
        if not FIRST_INSTANT <= instant <= LAST_INSTANT:
            raise OverflowError
        return format_instant(instant)
    except (ArithmeticError, ValueError):
        raise EventProblem(
            f"{name}: {value!r} is no number of seconds that is a time", token=name
        ) from None


def _time_text(name: str, value: object, zone: ZoneInfo | None) -> str:
    """Return a time, a date or a text of one in RFC 3339."""
    if isinstance(value, str):
        value = _read_time(name, value.strip())
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        raise EventProblem(
            f"{name}: {value!r} is no time",
            token=name,
            hint=f"where it counts since 1970 write {name}=column:s, :ms or :us",
        )
    if value.tzinfo is None:
        if zone is None:
            hint = "say which with --zone UTC or --zone Europe/Berlin"
            raise EventProblem(f"{name}: {value} has no zone", token=name, hint=hint)
        value = value.replace(tzinfo=zone)
    try:
        return format_instant(parse_instant(value.astimezone(UTC).isoformat()))
    except OverflowError:
        raise EventProblem(
            f"{name}: {value} is outside of the years 1 to 9999", token=name
        ) from None


def _read_time(name: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        hint = (
            f"as in 2026-01-31T08:00:00Z; where it counts since 1970 write {name}=column:s, :ms"
            " or :us"
        )
        raise EventProblem(f"{name}: {text!r} is no time", token=name, hint=hint) from None


def _is_constant(column: str) -> bool:
    return len(column) > 1 and column[0] == column[-1] == "'"


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return None if name is None else ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise _refused(
            f"{name!r} is no time zone", name or "", "as in UTC or Europe/Berlin"
        ) from None


def _refused(message: str, token: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="ColumnsError", token=token, hint=hint)
