"""The log of the service as a DataFrame, streaming or static."""

from __future__ import annotations

from typing import Any

from tocsin.service.storage.log_reader import open_log
from tocsin.spark.input.log_source import FORMAT, register_log
from tocsin.spark.plans.sources import open_versions


def log_stream(spark: Any, url: str, **options: object) -> Any:
    """Return a streaming DataFrame of the log behind a database URL: value, position, received,
    tenant.

    Options: `start`, `partitions`, `maxRowsPerBatch`; with `catalog`, its URL, rows have the
    version that they are matched with.
    """
    register_log(spark, open_log, open_versions, streams=True)
    return _with_options(spark.readStream.format(FORMAT), url, options).load()


def log_table(spark: Any, url: str, **options: object) -> Any:
    """Return a static DataFrame of the log, for back-tests.

    Options: `start`, `end`, `partitions`.
    """
    register_log(spark, open_log, open_versions)
    return _with_options(spark.read.format(FORMAT), url, options).load()


def _with_options(reader: Any, url: str, options: dict[str, object]) -> Any:
    reader = reader.option("url", url)
    for name, value in options.items():
        reader = reader.option(name, str(value))
    return reader
