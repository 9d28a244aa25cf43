"""Deduplication by (source, id): a batch keeps the first in canonical order, a stream the first to
arrive.

A stream remembers an identity for a time on the clock of the micro-batches, not on the clock of the
events: so no event is too late for it and none is dropped for its age.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.events.matches.constructed import ID_PATTERN
from tocsin.spark.output.batches import BY_MATCH
from tocsin.values.time import Duration

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
