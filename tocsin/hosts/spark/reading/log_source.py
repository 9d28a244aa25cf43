"""A log with positions as a source of Spark: `spark.readStream.format("tocsin")`, and
`spark.read.format("tocsin")` for back-tests.

The offset of the stream is a position in the log. Rows at a position never change, so that a
micro-batch that is run again reads the same rows. What the log is, and how it is read, is the
business of whoever registers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from tocsin.errors import MeaningProblem, StateProblem

FORMAT = "tocsin"
POSITION = "position"
SCHEMA = "value binary, position bigint, received timestamp, tenant string"

DEFAULT_PARTITIONS = 2
DEFAULT_ROWS = 20_000
"""So many rows go into one micro-batch, unless said otherwise."""

_ARROW = pa.schema(
    [
        ("value", pa.binary()),
        (POSITION, pa.int64()),
        ("received", pa.timestamp("us", tz="UTC")),
        ("tenant", pa.string()),
    ]
)
_OFFSETS = "earliest, latest, or the number of the last position that is not wanted"

Row = tuple[bytes | None, int, int, str]
"""The value (None where it was refused), the position, when it came, and whose it is."""


class PositionedLog(Protocol):
    """A log that workers can read. Positions are numbers that rise."""

    def bounds(self) -> tuple[int, int]:
        """The position before the oldest row, and that of the newest."""
        ...

    def read(self, after: int, until: int) -> Iterator[list[Row]]:
        """The rows after a position up to another, in order, some at a time."""
        ...


OpenLog = Callable[[str], PositionedLog]


@dataclass(frozen=True)
class Range(InputPartition):
    """The rows after a position up to another."""

    after: int
    until: int


def register_log(spark: SparkSession, open_log: OpenLog) -> None:
    """Makes the format known to a session; `open_log` opens the log that the option `url` names, in
    any process.
    """

    class Registered(LogSource):
        """The source with its way to open a log."""

        opener: ClassVar[OpenLog] = staticmethod(open_log)

    spark.dataSource.register(Registered)


class LogSource(DataSource):
    """Options: `url`; `partitions` in which a micro-batch is read; `maxRowsPerBatch`; `start` and,
    for a batch, `end` (earliest, latest or a position).
    """

    opener: ClassVar[OpenLog]

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return FORMAT

    def schema(self) -> str:
        """A value and what the log knows of it."""
        return SCHEMA

    def reader(self, schema: object) -> LogReader:
        """Reads what is there."""
        return LogReader(self._reading())

    def streamReader(self, schema: object) -> LogStream:
        """Reads on and on."""
        return LogStream(self._reading())

    def _reading(self) -> Reading:
        given = {name.lower(): value for name, value in self.options.items()}
        if "url" not in given:
            raise MeaningProblem(
                "the log is not named", code="LogError", token="url", hint='.option("url", ...)'
            )
        return Reading(
            type(self).opener,
            given["url"],
            _count(given, "partitions", DEFAULT_PARTITIONS),
            _count(given, "maxRowsPerBatch", DEFAULT_ROWS),
            given.get("start", "earliest"),
            given.get("end", "latest"),
        )


@dataclass(frozen=True)
class Reading:
    """A log, and how it is to be read. Picklable: a copy opens the log again."""

    opener: OpenLog
    url: str
    partitions: int
    most_rows: int
    start: str
    end: str

    def log(self) -> PositionedLog:
        """The log, opened."""
        return self.opener(self.url)

    def position(self, given: str, bounds: tuple[int, int]) -> int:
        """The position that an option means."""
        named = {"earliest": bounds[0], "latest": bounds[1]}
        if given in named:
            return named[given]
        try:
            return int(given)
        except ValueError:
            raise MeaningProblem(
                f"{given!r} is no position of a log", code="LogError", token=given, hint=_OFFSETS
            ) from None

    def ranges(self, after: int, until: int) -> list[Range]:
        """The rows in about equal parts."""
        size = max(1, -(-(until - after) // self.partitions))
        return [Range(at, min(at + size, until)) for at in range(after, until, size)]

    def batches(self, part: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part, as Arrow."""
        if not isinstance(part, Range):
            return
        for rows in self.log().read(part.after, part.until):
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(column, field.type)
                    for column, field in zip(zip(*rows, strict=True), _ARROW, strict=True)
                ],
                schema=_ARROW,
            )


class LogReader(DataSourceReader):
    """A batch: all rows between two positions that were there when it was planned."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def partitions(self) -> list[Range]:
        """The rows in parts."""
        bounds = self._reading.log().bounds()
        after = max(bounds[0], self._reading.position(self._reading.start, bounds))
        until = min(bounds[1], self._reading.position(self._reading.end, bounds))
        return self._reading.ranges(after, until)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""
        return self._reading.batches(partition)


class LogStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream whose offsets are positions."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._last: int | None = None

    def initialOffset(self) -> dict[str, int]:
        """Where a query without a checkpoint begins."""
        return {POSITION: self._reading.position(self._reading.start, self._log.bounds())}

    def getDefaultReadLimit(self) -> ReadLimit:
        """How much goes into a micro-batch: what is more waits in the log."""
        return ReadMaxRows(self._reading.most_rows)

    def prepareForTriggerAvailableNow(self) -> None:
        """What comes from now on is not wanted."""
        self._last = self._log.bounds()[1]

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """How far a micro-batch goes that begins here."""
        newest = self._log.bounds()[1] if self._last is None else self._last
        after = start[POSITION]
        if newest < after:
            raise StateProblem(
                f"the log ends at {newest}, but was read up to {after} before",
                code="LogError",
                hint="it is another log: give the right one, or begin with a new checkpoint",
            )
        if isinstance(limit, ReadMaxRows):
            newest = min(newest, after + limit.max_rows)
        elif not isinstance(limit, ReadAllAvailable):
            newest = min(newest, after + self._reading.most_rows)
        return {POSITION: newest}

    def reportLatestOffset(self) -> dict[str, int]:
        """How far the log goes, for those who watch the lag."""
        return {POSITION: self._log.bounds()[1]}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[Range]:
        """The rows in parts; refused where some of them are gone, as they would be lost
        silently.
        """
        oldest = self._log.bounds()[0]
        if start[POSITION] < oldest and end[POSITION] > start[POSITION]:
            raise StateProblem(
                f"the log begins after {oldest}, but {start[POSITION]} is to be read from",
                code="LogError",
                hint="keep events longer than a query may stand still, or begin a new checkpoint",
            )
        return self._reading.ranges(start[POSITION], end[POSITION])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""
        return self._reading.batches(partition)

    @property
    def _log(self) -> PositionedLog:
        return self._reading.log()


def _count(given: Any, name: str, default: int) -> int:
    text = given.get(name.lower(), str(default))
    if not text.isdecimal() or int(text) < 1:
        raise MeaningProblem(
            f"{name} is a number of 1 or more, got {text!r}", code="LogError", token=name
        )
    return int(text)
