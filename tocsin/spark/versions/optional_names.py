"""The names of pyspark that not every version has. The one place that may import them.

In a version without it a name is an empty class, so that subclasses can be defined and never used:
`capabilities.require` refuses before. The type checker sees the newest pyspark.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

if TYPE_CHECKING:
    from pyspark import SparkContext
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
    from pyspark.sql.streaming.stateful_processor import (
        ExpiredTimerInfo,
        StatefulProcessor,
        StatefulProcessorHandle,
        TimerValues,
    )
else:

    def _find(module: str, name: str) -> Any:
        """Return a name of pyspark, or an empty class of that name if this version lacks it."""
        try:
            return getattr(import_module(module), name)
        except AttributeError:
            return type(name, (), {})
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("pyspark."):
                raise
            return type(name, (), {})

    SparkContext = _find("pyspark", "SparkContext")
    DataSource, DataSourceReader, DataSourceStreamReader, InputPartition = (
        _find("pyspark.sql.datasource", name)
        for name in ("DataSource", "DataSourceReader", "DataSourceStreamReader", "InputPartition")
    )
    ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow = (
        _find("pyspark.sql.streaming.datasource", name)
        for name in ("ReadAllAvailable", "ReadLimit", "ReadMaxRows", "SupportsTriggerAvailableNow")
    )
    ExpiredTimerInfo, StatefulProcessor, StatefulProcessorHandle, TimerValues = (
        _find("pyspark.sql.streaming.stateful_processor", name)
        for name in (
            "ExpiredTimerInfo",
            "StatefulProcessor",
            "StatefulProcessorHandle",
            "TimerValues",
        )
    )


def has_java_client() -> bool:
    """True if this pyspark can start a session; the thin client of Spark Connect cannot."""
    return hasattr(SparkContext, "getOrCreate")


__all__ = [
    "DataSource",
    "DataSourceReader",
    "DataSourceStreamReader",
    "ExpiredTimerInfo",
    "InputPartition",
    "ReadAllAvailable",
    "ReadLimit",
    "ReadMaxRows",
    "SparkContext",
    "StatefulProcessor",
    "StatefulProcessorHandle",
    "SupportsTriggerAvailableNow",
    "TimerValues",
    "has_java_client",
]


def to_arrow(frame: DataFrame) -> Any:
    """Return the rows of a DataFrame as a table; before Spark 4.0 it has no `toArrow`."""
    collect: Any = frame
    if hasattr(DataFrame, "toArrow"):
        return collect.toArrow()
    batches = collect._collect_as_arrow()
    return (
        pa.Table.from_batches(batches) if batches else to_arrow_schema(frame.schema).empty_table()
    )
