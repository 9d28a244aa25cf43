"""A DataFrame collected as Arrow, on every version."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema


def to_arrow(frame: DataFrame) -> Any:
    """Return the rows of a DataFrame as a table; before Spark 4.0 it has no `toArrow`."""
    collect: Any = frame
    if hasattr(DataFrame, "toArrow"):
        return collect.toArrow()
    batches = collect._collect_as_arrow()
    return (
        pa.Table.from_batches(batches) if batches else to_arrow_schema(frame.schema).empty_table()
    )
