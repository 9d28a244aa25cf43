"""Parquet as records by its schema. Null and NaN are omitted; a time inside data is text in UTC."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from io import BufferedIOBase
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tocsin.connectors.rows import Row
from tocsin.errors import EventProblem, MeaningProblem, Problem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.values.time import format_instant, parse_instant

_BATCH_ROWS = 4096
_UNREADABLE = (pa.ArrowException, OSError, ValueError, OverflowError)


def parquet_rows(file: IO[bytes] | BufferedIOBase) -> tuple[list[str], Iterator[Row]]:
    """Return the names of the columns, and the rows with their numbers; raises if it is not
    Parquet.
    """
    try:
        table = pq.ParquetFile(file)
    except _UNREADABLE as error:
        raise MeaningProblem(f"it is no Parquet file: {error}", code="FileError") from None
    return list(table.schema_arrow.names), _rows(table)


def _rows(table: Any) -> Iterator[Row]:
    for number, record in enumerate(_records(table), 1):
        if isinstance(record, Problem):
            yield Row(b"", number, {}, {}, record)
        else:
            present = {name: value for name, value in record.items() if not _is_empty(value)}
            yield _row(number, present)


def _records(table: Any) -> Iterator[dict[str, Any] | EventProblem]:
    """Yield the rows as Python values, a problem for a row with a value that Python cannot hold.

    Raises if the file is damaged.
    """
    batches = table.iter_batches(batch_size=_BATCH_ROWS)
    while True:
        try:
            batch = _in_microseconds(next(batches))
        except StopIteration:
            return
        except _UNREADABLE as error:
            raise MeaningProblem(
                f"the Parquet file cannot be read on: {error}", code="FileError"
            ) from None
        try:
            records = batch.to_pylist(maps_as_pydicts="lossy")
        except _UNREADABLE:
            records = [_record_or_problem(batch.slice(row, 1)) for row in range(batch.num_rows)]
        yield from records


def _record_or_problem(row: Any) -> dict[str, Any] | EventProblem:
    try:
        (record,) = row.to_pylist(maps_as_pydicts="lossy")
    except _UNREADABLE as error:
        return EventProblem(f"a value cannot be read: {error}")
    return dict(record)


def _row(number: int, written: dict[str, Any]) -> Row:
    try:
        typed = {name: _plain(value) for name, value in written.items()}
        return Row(json_text(typed).encode("utf-8", "replace"), number, written, typed)
    except Problem as problem:
        return Row(b"", number, {}, {}, problem)


def _in_microseconds(batch: Any) -> Any:
    """Truncate time columns to microseconds, the finest that Python has a type for."""
    for index, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            kind = pa.timestamp("us", field.type.tz)
            batch = batch.set_column(
                index, pa.field(field.name, kind), batch.column(index).cast(kind, safe=False)
            )
    return batch


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _plain(value: Any) -> Any:
    """Return the value as JSON has it."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if not _is_empty(item)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value if not _is_empty(item)]
    if isinstance(value, datetime):
        return value.isoformat() if value.tzinfo is None else _instant_text(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return _text(value) if isinstance(value, bytes) else value


def _instant_text(value: datetime) -> str:
    try:
        return format_instant(parse_instant(value.astimezone(UTC).isoformat()))
    except OverflowError:
        raise EventProblem(f"{value} is outside of the years 1 to 9999") from None


def _text(value: bytes) -> str:
    """Return bytes as text if they are UTF-8, else in base64."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
