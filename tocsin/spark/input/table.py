"""An Arrow batch of event columns: rows as CloudEvents objects, columns as the engine compares
them, and the rows that may not be events.

Instants become RFC 3339 text in UTC, as they would be in JSON, whatever the zone of the session.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import EventProblem, Problem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.reception import RECEIVED, EventEndRule
from tocsin.spark.input.layout import DATA
from tocsin.spark.output.carried_columns import KEPT
from tocsin.values.scalars import ENVELOPE, Path
from tocsin.values.space import read_place
from tocsin.values.time import FIRST_INSTANT, LAST_INSTANT, format_instant, parse_instant

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_UNREADABLE = (UnicodeDecodeError, OverflowError, ValueError)


@dataclass(frozen=True, slots=True)
class EventTable:
    """Rows of event columns, and the column of each part of the event.

    A part may have `further` columns, of which at most one has a value; those in `json` are text.
    """

    rows: Any
    names: Mapping[Path, str]
    further: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    json: frozenset[str] = frozenset()

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
        return self.with_rows(self.rows.filter(pa.array(keep)))

    def with_rows(self, rows: Any) -> EventTable:
        """Return a table of other rows with the same columns."""
        return EventTable(rows, self.names, self.further, self.json)

    def _object_or_problem(self, row: Mapping[str, Any]) -> dict[str, Any] | EventProblem:
        try:
            return object_of_values({path: self._value(row, path) for path in self.names})
        except EventProblem as problem:
            return problem

    def _value(self, row: Mapping[str, Any], path: Path) -> Any:
        for name in (self.names[path], *self.further.get(path, ())):
            value = row[name]
            if value is not None:
                return parse_json(value) if name in self.json else value
        return None


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


def object_of_values(values: Mapping[Path, Any]) -> dict[str, Any]:
    """Return the CloudEvents object of the values of its parts."""
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


# Rows that may not be events, found column by column. May flag too many, never too few.

Flags = npt.NDArray[np.bool_]

TIME: Path = (ENVELOPE, "time")
ENDTIME: Path = (ENVELOPE, "endtime")
RECEIVED_AT: Path = (ENVELOPE, RECEIVED)
PLACE: Path = (ENVELOPE, "place")

_REQUIRED: tuple[Path, ...] = ((ENVELOPE, "id"), (ENVELOPE, "source"), (ENVELOPE, "type"))


def rows_to_validate(table: EventTable, ends: EventEndRule = EventEndRule.START) -> Flags:
    """Return a flag for every row that the codec has to check."""
    if not _is_valid(table.rows):
        return np.ones(table.rows.num_rows, dtype=np.bool_)
    flags = _wrong_times(table) | _wrong_places(table)
    if ends is EventEndRule.RECEPTION:
        flags |= _no_times(table, RECEIVED_AT, instants(table, RECEIVED_AT))
    for path in _REQUIRED:
        flags |= _flags(pc.fill_null(pc.equal(pc.binary_length(table.column(path)), 0), True))
    return flags


def instants(table: EventTable, path: Path) -> Any:
    """Return a column of times in microseconds; null if there is no time, or an unreadable one."""
    column = table.column(path)
    if column is None:
        return pa.nulls(table.rows.num_rows, pa.int64())
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64())
    return pa.array([_instant(text) for text in column.to_pylist()], pa.int64())


def _is_valid(rows: Any) -> bool:
    """True if all text is UTF-8; Spark does not check."""
    try:
        rows.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _wrong_times(table: EventTable) -> Flags:
    starts, ends = instants(table, TIME), instants(table, ENDTIME)
    flags = _flags(pc.and_(starts.is_null(), ends.is_valid())) | _flags(pc.greater(starts, ends))
    return flags | _no_times(table, TIME, starts) | _no_times(table, ENDTIME, ends)


def _no_times(table: EventTable, path: Path, found: Any) -> Flags:
    """Flag the values given as a time that are not one."""
    given = table.column(path)
    if given is None:
        return np.zeros(table.rows.num_rows, dtype=np.bool_)
    early, late = pc.less(found, FIRST_INSTANT), pc.greater(found, LAST_INSTANT)
    outside = _flags(early) | _flags(late)
    return _flags(pc.and_(given.is_valid(), found.is_null())) | outside


def _wrong_places(table: EventTable) -> Flags:
    places = table.column(PLACE)
    if places is None:
        return np.zeros(table.rows.num_rows, dtype=np.bool_)
    if pa.types.is_struct(places.type):
        return _flags(places.is_valid())
    return np.array(
        [text is not None and not _is_place(text) for text in places.to_pylist()], dtype=np.bool_
    )


def _flags(array: Any) -> Flags:
    found: Flags = pc.fill_null(array, False).to_numpy(zero_copy_only=False)
    return found


def _instant(text: str | None) -> int | None:
    try:
        return None if text is None else parse_instant(text)
    except Problem:
        return None


def _is_place(text: str) -> bool:
    try:
        read_place(text)
    except Problem:
        return False
    return True
