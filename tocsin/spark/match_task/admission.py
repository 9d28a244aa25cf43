"""Admission of events on Spark: repeated ones, and those of a stream that end too far ahead.

Events are deduplicated by (source, id): a batch keeps the first in canonical order, a stream the
first to arrive. A stream remembers an identity for a time on the clock of the micro-batches, not on
the clock of the events: so no event is too late for it and none is dropped for its age. An event is
too far ahead of the time of its micro-batch, which a retry keeps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.events.dead_letter import too_far_ahead
from tocsin.events.matches.match import ID_PATTERN
from tocsin.spark.input.rows import RowBatch
from tocsin.spark.output.batches import BY_MATCH
from tocsin.spark.output.carried_columns import INSTANT_TYPE
from tocsin.spark.output.letters import Letter, letter_of
from tocsin.values.time import Duration, Instant

_CAME = "came"
_KEY = "row_key"
_KEPT = ("end", "start", "matches", "dead_letter", "version", "wanted")


def first_of_each(by_event: DataFrame, remembered: Duration | None) -> DataFrame:
    """Return the rows by event without repeated events; `remembered` is the time for a stream."""
    if by_event.isStreaming and remembered is not None:
        return _first_that_came(by_event, remembered)
    return _first_in_order(by_event)


def spread_matches(by_event: DataFrame) -> DataFrame:
    """Convert rows by event to (match, dead_letter): a row per match and a row per dead letter.

    An event without a match has no row.
    """
    is_letter = F.col("dead_letter").isNotNull()
    nothing = F.lit(None).cast(BY_MATCH["match"].dataType)
    matches = F.when(is_letter, F.array(nothing)).otherwise(F.col("matches"))
    return by_event.select(F.explode(matches).alias("match"), "dead_letter")


def matches_once(results: DataFrame) -> DataFrame:
    """Return the rows (match, dead_letter) of a batch, each match with a constructed event once.

    A constructed event may also be in the input.
    """
    is_built = F.exists("match.events", lambda id: id.rlike(ID_PATTERN))
    own = F.concat(F.lit("row "), F.monotonically_increasing_id().cast("string"))
    key = F.when(is_built, F.col("match.id")).otherwise(own)
    return results.withColumn(_KEY, key).dropDuplicates([_KEY]).drop(_KEY)


def _first_in_order(by_event: DataFrame) -> DataFrame:
    """Keep the first in canonical order; nulls, events without a time, are first; content breaks
    ties.
    """
    first = F.min_by(F.struct(*_KEPT), F.struct("end", "start", "content"))
    return by_event.groupBy("identity").agg(first.alias("first")).select("identity", "first.*")


def _first_that_came(by_event: DataFrame, remembered: Duration) -> DataFrame:
    came = by_event.withColumn(_CAME, F.current_timestamp())
    watched = came.withWatermark(_CAME, f"{remembered // 1000} milliseconds")
    return watched.dropDuplicatesWithinWatermark(["identity"]).drop(_CAME)


# Events that end too far ahead.

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
    instant: Instant = first.cast(INSTANT_TYPE).cast(pa.int64())[0].as_py()
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
