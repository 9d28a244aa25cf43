"""Matches as events for other consumers: their constructed documents, or records of matches for
Kafka.

The query itself has matched constructed documents already. Ids are derived from match ids, so that
a repeated write is a duplicate. A query that reads what it wrote drops such copies. Records for
Spark's Kafka sink are structured CloudEvents, by their Kafka binding.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tocsin.catalog import Snapshot, Surroundings, compile_subscription
from tocsin.events.codecs.bindings import CONTENT_TYPE, STRUCTURED
from tocsin.events.matches.match import HOP_LIMIT, ID_PATTERN, SOURCE
from tocsin.plan.xml.construction import Construct
from tocsin.spark.plans.shard_plans import ATOMIC_LANGUAGES


def constructed(matches: DataFrame) -> DataFrame:
    """Return the outputs of matches as CloudEvents JSON in a column `value`, up to the limit of
    hops.

    Give it the matches of subscriptions that CONSTRUCT.
    """
    behind = F.transform("events", _hops_behind)
    hops = F.lit(1) + F.coalesce(F.array_max(behind), F.lit(0))
    documents = matches.select(
        "*", hops.alias("hops"), F.posexplode("outputs").alias("number", "data")
    )
    number = (F.col("number") + 1).cast("string")
    event = F.struct(
        F.lit("1.0").alias("specversion"),
        F.concat_ws(
            "-", F.lit("constructed"), F.col("hops").cast("string"), F.col("id"), number
        ).alias("id"),
        F.concat(F.lit(SOURCE), F.col("subscription")).alias("source"),
        F.lit("constructed").alias("type"),
        rfc3339("detected").alias("time"),
        F.lit("application/xml").alias("datacontenttype"),
        F.concat_ws(" ", "events").alias("lineage"),
        F.col("hops"),
        F.col("data"),
    )
    return documents.where(F.col("hops") <= HOP_LIMIT).select(F.to_json(event).alias("value"))


def _hops_behind(id: Column) -> Column:
    """Return the constructions behind an event id, of at most three digits; null if it has none."""
    digits = F.regexp_extract(id, ID_PATTERN, 1)
    return F.when(digits != "", digits.cast("int"))


def rfc3339(column: str) -> Column:
    """Return an instant as text in UTC, whatever the zone of the session."""
    utc = F.to_utc_timestamp(column, F.current_timezone())
    return F.date_format(utc, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")


def constructs_any(snapshot: Snapshot) -> bool:
    """Return True if any subscription constructs; one that does not compile does not."""
    light = Surroundings.of(snapshot.definitions)
    for subscription in snapshot.subscriptions:
        if subscription.language in ATOMIC_LANGUAGES:
            continue
        try:
            plan = compile_subscription(subscription, light)
        except Exception:  # the match tasks report it
            continue
        if isinstance(plan.output, Construct):
            return True
    return False


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
