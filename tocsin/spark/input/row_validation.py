"""Rows of event columns that may not be events, found column by column. May flag too many, never
too few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.errors import Problem
from tocsin.events.codecs.reception import RECEIVED, EventEndRule
from tocsin.events.event import ENVELOPE, Path
from tocsin.spark.input.table import EventTable
from tocsin.values.space import read_place
from tocsin.values.time import FIRST_INSTANT, LAST_INSTANT, parse_instant

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
    for column in table.rows.columns:
        flags |= _not_numbers(column)
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


def _not_numbers(column: Any) -> Flags:
    """Flag the rows with a NaN; one inside a list flags every row of the batch."""
    if pa.types.is_floating(column.type):
        return _flags(pc.is_nan(column))
    if pa.types.is_struct(column.type):
        members = [_not_numbers(member) for member in column.flatten()]
        return np.logical_or.reduce(members) if members else np.zeros(len(column), dtype=np.bool_)
    inside = pa.types.is_list(column.type) and bool(_not_numbers(column.flatten()).any())
    return np.full(len(column), inside)


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
