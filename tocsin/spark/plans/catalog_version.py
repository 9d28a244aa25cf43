"""The catalog's version as a table of one row, read on every scan: in a stream, once per
micro-batch.

Joined to the events as a broadcast, it gives all rows of one micro-batch the same version,
including retried tasks. A catalog older than when the query was made is another database and is
refused: an executor without access to the driver's SQLite file must not be taken for an empty
catalog.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from tocsin.catalog import Catalog, open_catalog
from tocsin.errors import Problem, StateProblem

VERSION = "catalog_version"

_FORMAT = "tocsin_catalog_version"
_SHARED = "every executor needs access to the same database: use PostgreSQL on a cluster"
_REGISTERED = "spark.tocsin.catalogVersionRegistered"


class VersionReader(DataSourceReader):
    """Reader of the newest version, in the task that scans the table, not when the query is
    planned.
    """

    def __init__(self, url: str, oldest: int) -> None:
        self._url = url
        self._oldest = oldest

    def read(self, partition: InputPartition) -> Iterator[tuple[int]]:
        """Yield the one row; raises if the catalog is older than when the query was made."""
        version = shared_catalog(self._url).version()
        require_same_catalog(version, self._oldest)
        yield (version,)


class VersionSource(DataSource):
    """`spark.read.format("tocsin_catalog_version")` with the options url and oldest."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return _FORMAT

    def schema(self) -> str:
        """Return a schema of one column."""
        return f"{VERSION} bigint"

    def reader(self, schema: object) -> VersionReader:
        """Return the reader of the one row."""
        return VersionReader(self.options["url"], int(self.options["oldest"]))


def version_table(spark: SparkSession, catalog: Catalog) -> DataFrame:
    """Return the table of one row with the catalog's version."""
    if spark.conf.get(_REGISTERED, "") != "true":
        spark.dataSource.register(VersionSource)
        spark.conf.set(_REGISTERED, "true")
    reader = (
        spark.read.format(_FORMAT)
        .option("url", catalog.url)
        .option("oldest", str(catalog.version()))
    )
    return reader.load()


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
