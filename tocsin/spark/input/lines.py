"""A file of lines as a DataFrame with line numbers from 1; `.gz` files are read in one part.

Blank lines are skipped but counted. Spark's own text source has no line numbers. Every executor
must have access to the file.
"""

from __future__ import annotations

import gzip
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import MAX_BYTES
from tocsin.events.codecs.base.lines import bounded_line, skip_line
from tocsin.spark.versions.capabilities import is_remote

PART_BYTES = 16 << 20
BATCH_BYTES = 4 << 20
BATCH_LINES = 8192

_SCHEMA = pa.schema([("value", pa.binary()), ("line", pa.int64())])
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class LinesPart:
    """Whole lines from byte `start` to `end`, exclusive; the first has number `line`."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class LinesTask:
    """Task: numbers of parts -> (value, line) of their lines."""

    path: str
    parts: tuple[LinesPart, ...]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        for rows in batches:
            for number in rows.column("id").to_pylist():
                yield from self._read(self.parts[number])

    def _read(self, part: LinesPart) -> Iterator[Any]:
        with open_lines(self.path) as file:
            file.seek(part.start)
            yield from _batches(_numbered(file, part))


def read_lines(spark: SparkSession, path: str, *, part_bytes: int = PART_BYTES) -> DataFrame:
    """Return the lines of a file with columns `value` and `line`; raises if the file does not
    exist.

    A task reads one part: the numbers of the parts are the rows of a range with a partition for
    each, which every version of Spark has.
    """
    if not Path(path).is_file():
        raise MeaningProblem(f"cannot read {path}: there is no such file", code="FileError")
    whole = str(Path(path).absolute())
    parts = parts_to_read(whole, part_bytes)
    numbers = spark.range(0, len(parts), 1, max(1, len(parts)))
    lines = numbers.mapInArrow(LinesTask(whole, parts), "value binary, line bigint")
    if not _is_packed(path):
        return lines
    return lines.repartition(2 if is_remote(spark) else spark.sparkContext.defaultParallelism)


def parts_to_read(path: str, part_bytes: int) -> tuple[LinesPart, ...]:
    """Return the parts in which a file is read, of about equal size; one if it is compressed."""
    packed = (LinesPart(0, -1, 1),)
    return packed if _is_packed(path) else tuple(parts_of_file(path, part_bytes))


def parts_of_file(path: str, part_bytes: int) -> Iterator[LinesPart]:
    """Yield the parts of a plain file; the only work is to count lines."""
    start, line = 0, 1
    with Path(path).open("rb") as file:
        while start < (size := Path(path).stat().st_size):
            file.seek(start + part_bytes - 1)
            skip_line(file)
            end = min(file.tell(), size)
            yield LinesPart(start, end, line)
            line += _line_ends(file, start, end)
            start = end


def _line_ends(file: IO[bytes], start: int, end: int) -> int:
    file.seek(start)
    left, count = end - start, 0
    while left > 0 and (block := file.read(min(left, _BLOCK))):
        count += block.count(b"\n")
        left -= len(block)
    return count


def _numbered(file: IO[bytes], part: LinesPart) -> Iterator[tuple[bytes, int]]:
    """Yield the lines that are not blank, with their numbers."""
    position, number = part.start, part.line
    while part.end < 0 or position < part.end:
        line = bounded_line(file)
        if not line:
            return
        if line.removeprefix(BOM_UTF8).strip():
            yield line, number
        # a truncated line is longer in the file than here
        position = file.tell() if len(line) > MAX_BYTES else position + len(line)
        number += 1


def _batches(lines: Iterator[tuple[bytes, int]]) -> Iterator[Any]:
    values: list[bytes] = []
    numbers: list[int] = []
    held = 0
    for value, number in lines:
        values.append(value)
        numbers.append(number)
        held += len(value)
        if held >= BATCH_BYTES or len(values) >= BATCH_LINES:
            yield _batch(values, numbers)
            values, numbers, held = [], [], 0
    if values:
        yield _batch(values, numbers)


def _batch(values: list[bytes], numbers: list[int]) -> Any:
    return pa.RecordBatch.from_pydict({"value": values, "line": numbers}, schema=_SCHEMA)


def _is_packed(path: str) -> bool:
    return path.endswith(".gz")


def open_lines(path: str) -> IO[bytes]:
    """Open a file; decompress it if its name ends in `.gz`."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if _is_packed(path) else Path(path).open("rb")
