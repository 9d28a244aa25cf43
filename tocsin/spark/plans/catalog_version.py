"""The catalog's version as a table of one row, read on every scan: in a stream, once per
micro-batch; and the versions by position of a log.

Joined to the events as a broadcast, the row gives all rows of one micro-batch the same version,
including retried tasks. A catalog older than when the query was made is another database and is
refused: an executor without access to the driver's SQLite file must not be taken for an empty
catalog. Over a log with positions, a micro-batch ends where the next version begins.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tocsin.catalog import Catalog, ReadPosition, open_catalog
from tocsin.errors import Problem, StateProblem

VERSION = "catalog_version"

_SHARED = "every executor needs access to the same database: use PostgreSQL on a cluster"


@dataclass(frozen=True, slots=True)
class VersionTask:
    """Task: one row -> the newest version, read where and when the table is scanned."""

    url: str
    oldest: int

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task; raises if the catalog is older than when the query was made."""
        for rows in batches:
            yield pa.RecordBatch.from_pydict(
                {VERSION: pa.array([self.version()] * rows.num_rows, pa.int64())}
            )

    def version(self) -> int:
        """Return the newest version."""
        version = shared_catalog(self.url).version()
        require_same_catalog(version, self.oldest)
        return version


def version_table(spark: SparkSession, catalog: Catalog) -> DataFrame:
    """Return the table of one row with the catalog's version."""
    task = VersionTask(catalog.url, catalog.version())
    return spark.range(0, 1, 1, 1).mapInArrow(task, f"{VERSION} bigint")


def shared_catalog(url: str) -> Catalog:
    """Open the catalog in a task; raises with a hint if the task has no access to it."""
    try:
        return open_catalog(url)
    except Problem as problem:
        raise StateProblem(problem.message, code=problem.code, hint=_SHARED) from None


def require_same_catalog(found: int, expected: int) -> None:
    """Raise if a catalog is behind a version that it has had already."""
    if found < expected:
        raise StateProblem(
            f"the catalog is at version {found}, but was at {expected} before",
            code="CatalogError",
            hint=_SHARED,
        )


class VersionsByPosition:
    """The versions of a catalog that have a position, each read once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._versions: list[int] = []
        self._positions: list[int] = []

    def refresh(self, head: ReadPosition | None = None) -> None:
        """Read new versions; with `head`, a change without a position gets the head of the log."""
        if head is not None:
            self._catalog.place(head)
        for each in self._catalog.placed(self._versions[-1] if self._versions else 0):
            self._versions.append(each.version)
            self._positions.append(each.position)

    def at(self, position: int) -> int:
        """Return the version that an event at a position is matched with; 0 before the first."""
        number = bisect_left(self._positions, position)
        return self._versions[number - 1] if number else 0

    def end_of(self, position: int) -> int | None:
        """Return the last position of the version that holds after `position`; None if none is
        known yet.
        """
        number = bisect_right(self._positions, position)
        return self._positions[number] if number < len(self._positions) else None

    def newest(self) -> int:
        """Return the newest version of the catalog."""
        return self._catalog.version()


def open_versions(url: str) -> VersionsByPosition:
    """Return the versions of the catalog behind a URL, in any process."""
    return VersionsByPosition(shared_catalog(url))
