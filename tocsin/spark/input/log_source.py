"""A log with positions as a source of Spark: `spark.readStream.format("tocsin")`, and
`spark.read.format("tocsin")` for back-tests.

The offset of the stream is a position in the log. Rows at a position never change, so that a
repeated micro-batch reads the same rows. The caller that registers the source decides what the log
is and how it is read.

If a catalog is served with the log, an offset also has the version that its micro-batch is matched
with. A micro-batch ends where the next version begins, so that all its rows have one version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import pyarrow as pa
from pyspark.sql import SparkSession

from tocsin.errors import MeaningProblem, StateProblem
from tocsin.spark.versions.capabilities import Capability, require
from tocsin.spark.versions.optional_names import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

FORMAT = "tocsin"
POSITION = "position"
VERSION = "version"
SCHEMA = "value binary, position bigint, received timestamp, tenant string"

DEFAULT_PARTITIONS = 2
DEFAULT_ROWS = 20_000
"""The default number of rows in one micro-batch."""

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
"""The value (None if it was refused), the position, the reception time, and the tenant."""


class PositionedLog(Protocol):
    """A log that workers can read. Positions are increasing numbers."""

    def bounds(self) -> tuple[int, int]:
        """Return the position before the oldest row, and the position of the newest."""
        ...

    def read(self, after: int, until: int) -> Iterator[list[Row]]:
        """Yield the rows after a position up to another, in order, in chunks."""
        ...


class LogVersions(Protocol):
    """The versions of a catalog by position of a log."""

    def refresh(self, head: Callable[[], int]) -> None:
        """Read new versions; a change without a position gets the head of the log."""
        ...

    def at(self, position: int) -> int:
        """Return the version that an event at a position is matched with."""
        ...

    def end_of(self, position: int) -> int | None:
        """Return the last position of the version that holds after `position`; None if none is
        known yet.
        """
        ...

    def newest(self) -> int:
        """Return the newest version."""
        ...


OpenLog = Callable[[str], PositionedLog]
OpenVersions = Callable[[str], LogVersions]


@dataclass(frozen=True)
class LogRange(InputPartition):
    """The rows after a position up to another, and the version that they are matched with."""

    after: int
    until: int
    version: int = 0


def register_log(
    spark: SparkSession, open_log: OpenLog, open_versions: OpenVersions, *, streams: bool = False
) -> None:
    """Register the format with a session; raises if its Spark lacks it, or lacks it as a stream.

    In any process, `open_log` opens the log of the option `url`, and `open_versions` the versions
    of the catalog of the option `catalog`.
    """

    require(spark, Capability.LOG_STREAM if streams else Capability.LOG_TABLE)

    class Registered(LogSource):
        """The source with the functions that open a log and its versions."""

        opener: ClassVar[OpenLog] = staticmethod(open_log)
        versions_opener: ClassVar[OpenVersions] = staticmethod(open_versions)

    spark.dataSource.register(Registered)


class LogSource(DataSource):
    """The data source for Spark.

    Options: `url`; `partitions` in which a micro-batch is read; `maxRowsPerBatch`; `start` and, for
    a batch, `end` (earliest, latest or a position); for a stream, `catalog`, the URL of the catalog
    whose version is added to each row.
    """

    opener: ClassVar[OpenLog]
    versions_opener: ClassVar[OpenVersions]

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> str:
        """Return the schema: value and log fields, with a version if there is a catalog."""
        return f"{SCHEMA}, {VERSION} bigint" if "catalog" in self.options else SCHEMA

    def reader(self, schema: object) -> LogReader:
        """Return a reader for a batch."""
        return LogReader(self._reading())

    def streamReader(self, schema: object) -> LogStream:
        """Return a reader for a stream."""
        return LogStream(self._reading())

    def _reading(self) -> LogReadOptions:
        given = {name.lower(): value for name, value in self.options.items()}
        if "url" not in given:
            raise MeaningProblem(
                "the log is not named", code="LogError", token="url", hint='.option("url", ...)'
            )
        return LogReadOptions(
            type(self).opener,
            type(self).versions_opener,
            given["url"],
            _count(given, "partitions", DEFAULT_PARTITIONS),
            _count(given, "maxRowsPerBatch", DEFAULT_ROWS),
            given.get("start", "earliest"),
            given.get("end", "latest"),
            given.get("catalog"),
        )


@dataclass(frozen=True)
class LogReadOptions:
    """A log and its read options. Picklable: a copy opens the log again."""

    opener: OpenLog
    versions_opener: OpenVersions
    url: str
    partitions: int
    most_rows: int
    start: str
    end: str
    catalog: str | None = None

    def log(self) -> PositionedLog:
        """Open the log."""
        return self.opener(self.url)

    def versions(self) -> LogVersions | None:
        """Return the versions of the catalog, or None without a catalog."""
        return None if self.catalog is None else self.versions_opener(self.catalog)

    def position(self, given: str, bounds: tuple[int, int]) -> int:
        """Return the position that an option names; raises if it is not one."""
        named = {"earliest": bounds[0], "latest": bounds[1]}
        if given in named:
            return named[given]
        try:
            return int(given)
        except ValueError:
            raise MeaningProblem(
                f"{given!r} is no position of a log", code="LogError", token=given, hint=_OFFSETS
            ) from None

    def ranges(self, after: int, until: int, version: int = 0) -> list[LogRange]:
        """Split the rows into about equal parts."""
        size = max(1, -(-(until - after) // self.partitions))
        return [LogRange(at, min(at + size, until), version) for at in range(after, until, size)]

    def batches(self, part: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part as Arrow."""
        if not isinstance(part, LogRange):
            return
        for rows in self.log().read(part.after, part.until):
            batch = pa.RecordBatch.from_arrays(
                [
                    pa.array(column, field.type)
                    for column, field in zip(zip(*rows, strict=True), _ARROW, strict=True)
                ],
                schema=_ARROW,
            )
            if self.catalog is not None:
                versions = pa.array([part.version] * len(rows), pa.int64())
                batch = batch.append_column(VERSION, versions)
            yield batch


class LogReader(DataSourceReader):
    """A batch: all rows between two positions that exist when it is planned."""

    def __init__(self, reading: LogReadOptions) -> None:
        self._reading = reading

    def partitions(self) -> list[LogRange]:
        """Return the rows in parts."""
        bounds = self._reading.log().bounds()
        after = max(bounds[0], self._reading.position(self._reading.start, bounds))
        until = min(bounds[1], self._reading.position(self._reading.end, bounds))
        return self._reading.ranges(after, until)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part."""
        return self._reading.batches(partition)


class LogStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A stream whose offsets are positions."""

    def __init__(self, reading: LogReadOptions) -> None:
        self._reading = reading
        self._last: int | None = None
        self._versions = reading.versions()

    def initialOffset(self) -> dict[str, int]:
        """Return the offset of a query without a checkpoint."""
        return {POSITION: self._reading.position(self._reading.start, self._log.bounds())}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit of rows per micro-batch; further rows wait in the log."""
        return ReadMaxRows(self._reading.most_rows)

    def prepareForTriggerAvailableNow(self) -> None:
        """Fix the end of the stream: rows that arrive later are not read."""
        self._last = self._log.bounds()[1]

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Return the end of the micro-batch that begins at `start`; raises if the log ends before
        it.
        """
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
        return self._with_version(start, newest)

    def _with_version(self, start: dict[str, int], newest: int) -> dict[str, int]:
        """Return the end of a micro-batch all of whose rows have one version, and that version.

        The catalog is read after the log: an event sent after a change was acknowledged is matched
        with it.
        """
        if self._versions is None:
            return {POSITION: newest}
        after = start[POSITION]
        self._versions.refresh(lambda: self._log.bounds()[1])
        if newest == after:
            return start
        end = self._versions.end_of(after)
        until = newest if end is None else min(newest, end)
        return {POSITION: until, VERSION: self._versions.at(after + 1)}

    def reportLatestOffset(self) -> dict[str, int]:
        """Return the end of the log, for monitoring of the lag."""
        return {POSITION: self._log.bounds()[1]}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[LogRange]:
        """Return the rows in parts; raises if some were deleted, as they would be lost silently."""
        oldest = self._log.bounds()[0]
        if start[POSITION] < oldest and end[POSITION] > start[POSITION]:
            raise StateProblem(
                f"the log begins after {oldest}, but {start[POSITION]} is to be read from",
                code="LogError",
                hint="keep events longer than a query may stand still, or begin a new checkpoint",
            )
        return self._reading.ranges(start[POSITION], end[POSITION], self._version_of(end))

    def _version_of(self, end: dict[str, int]) -> int:
        """Return the version of a micro-batch; the newest for one planned by an earlier release."""
        if self._versions is None:
            return 0
        known = end.get(VERSION)
        return self._versions.newest() if known is None else known

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part."""
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
