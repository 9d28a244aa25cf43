"""An Arrow batch of event columns: rows as CloudEvents objects, columns as the engine compares
them.

Instants become RFC 3339 text in UTC, as they would be in JSON, whatever the zone of the session.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.event import ENVELOPE, Path
from tocsin.spark.input.layout import DATA
from tocsin.spark.output.carried_columns import KEPT
from tocsin.values.time import format_instant

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_UNREADABLE = (UnicodeDecodeError, OverflowError, ValueError)


@dataclass(frozen=True, slots=True)
class EventTable:
    """Rows of event columns, and the column of each part of the event."""

    rows: Any
    names: Mapping[Path, str]

    def column(self, path: Path) -> Any:
        """Return the column of a path, or None if there is no such column."""
        name = self.names.get(path)
        return None if name is None else self.rows.column(name)

    def text(self, name: str, number: int) -> str | None:
        """Return the text in a further column for one row; None if there is no such column."""
        return (
            str(self.rows.column(name)[number].as_py()) if name in self.rows.schema.names else None
        )

    def objects(self) -> Iterator[dict[str, Any] | EventProblem]:
        """Yield every row as a CloudEvents object, or the problem of an unreadable row."""
        try:
            rows = self.rows.to_pylist(maps_as_pydicts="strict")
        except _UNREADABLE:
            yield from (self.object_or_problem(number) for number in range(self.rows.num_rows))
        else:
            yield from map(self._object_or_problem, rows)

    def object_or_problem(self, number: int) -> dict[str, Any] | EventProblem:
        """Return one row as a CloudEvents object, or its problem."""
        try:
            row = self.rows.slice(number, 1).to_pylist(maps_as_pydicts="strict")[0]
        except UnicodeDecodeError as error:
            return EventProblem(f"invalid UTF-8: {error.reason}")
        except _UNREADABLE as error:
            return EventProblem(f"a value cannot be read: {error}")
        return self._object_or_problem(row)

    def filtered(self, keep: Any) -> EventTable:
        """Return a table of the rows to keep."""
        return EventTable(self.rows.filter(pa.array(keep)), self.names)

    def _object_or_problem(self, row: Mapping[str, Any]) -> dict[str, Any] | EventProblem:
        try:
            return _object({path: row[name] for path, name in self.names.items()})
        except EventProblem as problem:
            return problem


def comparable(array: Any) -> Any:
    """Return the array with instants and dates as text, also inside structs.

    Elements of lists are never compared.
    """
    given = array.type
    if pa.types.is_timestamp(given):
        return instant_texts(array)
    if pa.types.is_date(given):
        return array.cast(pa.string())
    if pa.types.is_struct(given) and given.num_fields:
        members = [comparable(member) for member in array.flatten()]
        names = [given.field(number).name for number in range(given.num_fields)]
        return pa.StructArray.from_arrays(members, names=names, mask=array.is_null())
    return array


def instant_texts(array: Any) -> Any:
    """Return timestamps as RFC 3339 text in UTC.

    One outside the years 1 to 9999 becomes a bare number, which is not a time.
    """
    micros = array.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    inside = pc.and_(pc.greater_equal(micros, FIRST), pc.less_equal(micros, LAST))
    texts = pc.strftime(
        pc.if_else(inside, micros, 0).cast(pa.timestamp("us")), format="%Y-%m-%dT%H:%M:%S"
    )
    short = pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".")
    return pc.if_else(inside, pc.binary_join_element_wise(short, "Z", ""), micros.cast(pa.string()))


def _object(values: Mapping[Path, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for path, value in values.items():
        if path == DATA and isinstance(value, bytes):
            body["data_base64"] = base64.b64encode(
                value
            ).decode()  # the codec decodes it by its content type
        elif path == DATA:
            body["data"] = _json_value(value)
        elif path[0] == ENVELOPE:
            body[path[1]] = _place(value) if path[1] == "place" else _json_value(value)
        else:
            _put(body.setdefault("data", {}), path, _json_value(value))
    return {name: value for name, value in body.items() if value is not None}


def _put(target: dict[str, Any], path: Path, value: Any) -> None:
    for step in path[:-1]:
        target = target.setdefault(step, {})
    target[path[-1]] = value


def _place(value: Any) -> Any:
    """Return a place as JSON; a GeoJSON object may be given as text."""
    return (
        parse_json(value)
        if isinstance(value, str) and value.lstrip().startswith("{")
        else _json_value(value)
    )


def _json_value(value: Any) -> Any:
    match value:
        case datetime():
            return format_instant((value - _EPOCH) // _MICROSECOND)
        case date():
            return value.isoformat()
        case dict():
            return {name: _json_value(item) for name, item in value.items()}
        case list():
            return [_json_value(item) for item in value]
        case _:
            return value


def shown_object(found: dict[str, Any] | EventProblem) -> str:
    """Return a row as text for a dead letter."""
    if isinstance(found, EventProblem):
        return ""
    own = {name: value for name, value in found.items() if name != KEPT}
    return json.dumps(own, ensure_ascii=False, default=str)
