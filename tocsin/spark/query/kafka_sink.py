"""Matches as records for Spark's Kafka sink: structured CloudEvents, by their Kafka binding."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.events.codecs.bindings import CONTENT_TYPE, STRUCTURED
from tocsin.spark.query.constructing import rfc3339

MATCH_TYPE = "io.tocsin.match"

_WHOLE = {"ignoreNullFields": "false"}
"""Options for JSON: a match has all its fields, including null ones."""


def matches_to_kafka(matches: DataFrame, *, source: str = "tocsin") -> DataFrame:
    """Return the columns `key`, `value` and `headers` of Kafka's sink, one record for each match.

    Use the sink's option `includeHeaders`. The key is the subscription, so that its matches stay in
    order; the id of the event is that of the match, so that a receiver can drop repeats.
    """
    return matches.select(
        F.col("subscription").cast("binary").alias("key"),
        F.to_json(_event(matches, source), _WHOLE).cast("binary").alias("value"),
        F.array(
            F.struct(
                F.lit(CONTENT_TYPE).alias("key"), F.lit(STRUCTURED).cast("binary").alias("value")
            )
        ).alias("headers"),
    )


def _event(matches: DataFrame, source: str) -> Column:
    times = [rfc3339(name).alias(name) for name in ("start", "end", "detected")]
    others = [F.col(f"`{name}`") for name in matches.columns if name not in _TIMES]
    return F.struct(
        F.lit("1.0").alias("specversion"),
        F.col("id"),
        F.lit(source).alias("source"),
        F.lit(MATCH_TYPE).alias("type"),
        F.col("subscription").alias("subject"),
        rfc3339("detected").alias("time"),
        F.lit("application/json").alias("datacontenttype"),
        F.struct(*others, *times).alias("data"),
    )


_TIMES = frozenset(("start", "end", "detected"))
