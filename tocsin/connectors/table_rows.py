"""Rows of tables as records: CSV by its header, which is line 1, and Parquet by its schema.

A broken row of CSV loses only itself. A cell is a number if JSON would read it as one, `true` or
`false` in any case a boolean, and otherwise text; empty cells are omitted. A quoted text may span
lines; quotes that are never closed lose the line in which they open. Of Parquet, null and NaN are
omitted; a time inside data is text in UTC.
"""

from __future__ import annotations

import base64
import csv
import io
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from io import BufferedIOBase
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tocsin.errors import EventProblem, MeaningProblem, Problem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES, json_text, too_large
from tocsin.values.time import format_instant, parse_instant


class Row(NamedTuple):
    """A row as text, its line or number, its values as written and typed, or its problem."""

    raw: bytes
    line: int
    written: Mapping[str, Any]
    typed: Mapping[str, Any]
    problem: Problem | None = None


_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_TRUTH = {"true": True, "false": False}
_MARKS = ",;\t|"
_LOOKAHEAD = 1 << 18
_PATIENCE = 64 << 20
"""The number of bytes searched in vain for closing quotes after which quotes must close in their
line.
"""


def csv_columns(header: bytes) -> tuple[list[str], str]:
    """Return the names of the columns and the separator, which is the most frequent one in the
    header.

    Raises if a name is empty or repeated.
    """
    text = _text(header).strip("\r\n")
    bare = re.sub(r'"[^"]*"', "", text)
    mark = max(_MARKS, key=bare.count)
    try:
        names = [name.strip() for name in next(csv.reader([text], delimiter=mark), [])]
    except csv.Error as error:
        raise MeaningProblem(
            f"the header of the table is no CSV: {error}", code="ColumnsError"
        ) from None
    if "" in names or len(set(names)) != len(names):
        twice = next((name for name in names if name and names.count(name) > 1), "")
        raise MeaningProblem(
            "the header of the table has"
            f" {f'{twice!r} twice' if twice else 'a column without a name'}",
            code="ColumnsError",
            token=twice,
            hint="the first line names the columns, each once",
        )
    return names, mark


def csv_rows(lines: Iterable[bytes], names: list[str], mark: str) -> Iterator[Row]:
    """Yield the rows below the header."""
    for raw, line in _Records(iter(lines), mark).records():
        try:
            written = _cells(raw, names, mark)
        except Problem as problem:
            yield Row(raw, line, {}, {}, problem)
        else:
            typed = {name: _typed(cell) for name, cell in written.items() if cell}
            yield Row(raw, line, written, typed)


class _Records:
    """The lines of each row: one, or several if quotes are open at the end of a line and closed
    later.
    """

    def __init__(self, lines: Iterator[bytes], mark: str) -> None:
        self._lines = lines
        self._waiting: deque[bytes] = deque()
        self._patience = _PATIENCE
        cell = re.escape(mark.encode())
        self._field = re.compile(rb'(?:\A|%b)(?:"(?:[^"]|"")*+("|\Z)|)[^%b]*+' % (cell, cell))
        self._rest = re.compile(rb'(?:[^"]|"")*+(?:(")(?=(%b|\r?\n?\Z)?)|\Z)' % cell)

    def records(self) -> Iterator[tuple[bytes, int]]:
        """Yield the text of each row and its first line number; blank lines are skipped."""
        number = 1
        while line := self._next():
            number += 1
            if line.isspace():
                continue
            more = self._continuation() if self._is_open(line) else []
            yield b"".join([line, *more]), number
            number += len(more)

    def _next(self) -> bytes:
        return self._waiting.popleft() if self._waiting else next(self._lines, b"")

    def _continuation(self) -> list[bytes]:
        """Return the lines up to the one that closes the quotes.

        [] if no line does; then the lines are read again.
        """
        taken: list[bytes] = []
        size = 0
        while size < min(_LOOKAHEAD, self._patience) and (following := self._next()):
            taken.append(following)
            size += len(following)
            closed = self._rest.match(following)
            assert closed is not None
            if closed[1] is None:
                continue
            # quotes inside a text: they open the next text, so the first ones were never closed
            if closed[2] is None:
                break
            if not self._is_open(following[closed.end() :]):
                return taken
        self._patience -= size
        self._waiting.extendleft(reversed(taken))
        return []

    def _is_open(self, line: bytes) -> bool:
        """True if quotes that open in a line, or in its rest from a separator on, are open at its
        end.
        """
        return b'"' in line and any(field[1] == b"" for field in self._field.finditer(line))


def _cells(raw: bytes, names: list[str], mark: str) -> dict[str, str]:
    if len(raw) > MAX_BYTES:
        raise too_large()
    try:
        rows = list(csv.reader(io.StringIO(_text(raw), newline=""), delimiter=mark, strict=True))
    except csv.Error as error:
        raise EventProblem(
            f"the row is no CSV: {error}", hint='a text with quotes is written "so ""quoted"" here"'
        ) from None
    if len(rows) != 1:
        raise EventProblem(
            "the row has a line end in the midst of it",
            hint="write a text with line ends in quotes",
        )
    cells = rows[0]
    if len(cells) < len(names) or any(cells[len(names) :]):
        raise EventProblem(
            f"the row has {len(cells)} cells, the header {len(names)}",
            hint=f"write a text with {mark!r} in quotes",
        )
    return dict(zip(names, map(str.strip, cells), strict=False))


def _typed(cell: str) -> Any:
    if _NUMBER.fullmatch(cell):
        return float(cell) if any(mark in cell for mark in ".eE") else int(cell)
    return _TRUTH.get(cell.lower(), cell)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EventProblem(
            f"invalid UTF-8: {error.reason} at byte {error.start}", hint="save the table as UTF-8"
        ) from None


# Parquet.

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
    return _bytes_text(value) if isinstance(value, bytes) else value


def _instant_text(value: datetime) -> str:
    try:
        return format_instant(parse_instant(value.astimezone(UTC).isoformat()))
    except OverflowError:
        raise EventProblem(f"{value} is outside of the years 1 to 9999") from None


def _bytes_text(value: bytes) -> str:
    """Return bytes as text if they are UTF-8, else in base64."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
