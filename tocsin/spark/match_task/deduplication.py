"""Each (source, id) counts once. In a batch query the first in canonical order counts, in a stream
the first that came.

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
    """The rows by event without repeated events; `remembered` is for how long a stream remembers
    them.
    """
    if by_event.isStreaming and remembered is not None:
        return _first_that_came(by_event, remembered)
    return _first_in_order(by_event)


def spread_matches(by_event: DataFrame) -> DataFrame:
    """Rows by event -> (match, dead_letter): one row per match; a dead letter is one row, an event
    without a match is none.
    """
    is_letter = F.col("dead_letter").isNotNull()
    nothing = F.lit(None).cast(BY_MATCH["match"].dataType)
    matches = F.when(is_letter, F.array(nothing)).otherwise(F.col("matches"))
    return by_event.select(F.explode(matches).alias("match"), "dead_letter")


def matches_once(results: DataFrame) -> DataFrame:
    """Rows (match, dead_letter) of a batch: each match with a constructed event once, where the
    event is built and is in the input as well.
    """
    is_built = F.exists("match.events", lambda id: id.rlike(ID_PATTERN))
    own = F.concat(F.lit("row "), F.monotonically_increasing_id().cast("string"))
    key = F.when(is_built, F.col("match.id")).otherwise(own)
    return results.withColumn(_KEY, key).dropDuplicates([_KEY]).drop(_KEY)


def _first_in_order(by_event: DataFrame) -> DataFrame:
    """An event without a time comes before all others, as nulls do; content settles what times
    leave open.
    """
    first = F.min_by(F.struct(*_KEPT), F.struct("end", "start", "content"))
    return by_event.groupBy("identity").agg(first.alias("first")).select("identity", "first.*")


def _first_that_came(by_event: DataFrame, remembered: Duration) -> DataFrame:
    came = by_event.withColumn(_CAME, F.current_timestamp())
    watched = came.withWatermark(_CAME, f"{remembered // 1000} milliseconds")
    return watched.dropDuplicatesWithinWatermark(["identity"]).drop(_CAME)
