"""Events of a stream that end too far after the time of their micro-batch, which a retry keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.events.dead_letter import too_far_ahead
from tocsin.spark.input.rows import RowBatch
from tocsin.spark.output.headers import INSTANT
from tocsin.spark.output.letters import Letter, letter_of
from tocsin.values.time import Duration, Instant

_NOW = "row_now"


def with_now(rows: DataFrame) -> DataFrame:
    """Add the time of the micro-batch to every row, or of the query for a batch.

    It is put into an array: a bare time is written into the code that Spark generates, which would
    be compiled again for every micro-batch.
    """
    return rows.withColumn(_NOW, F.array(F.current_timestamp()))


def now_of(rows: Any) -> Instant | None:
    """Return the time in the rows, the same in all of them; None if the query has none."""
    if _NOW not in rows.schema.names:
        return None
    first = rows.column(_NOW).slice(0, 1).flatten()
    instant: Instant = first.cast(INSTANT).cast(pa.int64())[0].as_py()
    return instant


def beyond(reading: RowBatch, now: Instant | None, ahead: Duration | None) -> frozenset[int]:
    """Return the numbers of the events that end too far ahead."""
    if now is None or ahead is None:
        return frozenset()
    far = pc.fill_null(pc.greater(reading.ends(), now + ahead), False)
    return frozenset(np.flatnonzero(far.to_numpy(zero_copy_only=False)).tolist())


def far_letters(reading: RowBatch, numbers: frozenset[int], ahead: Duration | None) -> list[Letter]:
    """Return a dead letter for each event that is too far ahead."""
    events = (reading.batch.event(number) for number in sorted(numbers))
    return [letter_of(too_far_ahead(event, ahead or 0)) for event in events]
