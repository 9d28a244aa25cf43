"""A live catalog over a log with positions, for the service.

Every match has the positions of its members, every dead letter that of its row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.events.codecs.reception import parse_event_end_rule
from tocsin.events.dead_letter import EVENT_WARNING, DeadLetter
from tocsin.events.matches.match import Match
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.input.log_source import POSITION
from tocsin.spark.input.log_source import VERSION as LOG_VERSION
from tocsin.spark.output.batches import matches_in
from tocsin.spark.output.carried_columns import CarriedColumns, kept_column
from tocsin.spark.output.member_output import MemberOutput, convert_members
from tocsin.spark.plans.shard_plans import DEFAULT_SHARDS
from tocsin.spark.plans.sources import VERSION, source_of
from tocsin.spark.query.dataflow import DetectionOptions
from tocsin.spark.query.matching import results_of
from tocsin.values.time import parse_duration


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """Options of a live query for time and duplicates; durations as text, None for off."""

    lateness: str = "2s"
    idle: str | None = "1s"
    ahead: str | None = "1h"
    interval: str | None = None
    remember: str | None = "10m"
    shards: int = DEFAULT_SHARDS


@dataclass(frozen=True, slots=True)
class Placed:
    """A match, and the positions of its members; None for one that was constructed."""

    match: Match
    positions: list[int | None]


def live_results(rows: DataFrame, catalog: str, settings: LiveSettings) -> DataFrame:
    """Return matches and dead letters of a stream of the log, one of the two null in each row.

    A catalog may get its first composite at any time. Rows may have the version that they are
    matched with.
    """
    ahead = None if settings.ahead is None else parse_duration(settings.ahead)
    idle = None if settings.idle is None else parse_duration(settings.idle)
    detection = DetectionOptions(
        settings.shards, ClockSettings(parse_duration(settings.lateness), idle), ahead=ahead
    )
    events = rows.withColumns({"line": F.col(POSITION), "receivedtime": F.col("received")})
    versioned = LOG_VERSION in rows.columns
    if versioned:
        events = events.withColumnRenamed(LOG_VERSION, VERSION)
    kept, schema = kept_column(events, POSITION)
    telling = MemberOutput(heeds=False, keeping=CarriedColumns(schema.json(), by_event=True))
    results = results_of(
        events,
        source_of(catalog),
        detection,
        telling,
        deduplicate=settings.remember,
        composites=True,
        ends=parse_event_end_rule(settings.interval),
        kept=kept,
        versioned=versioned,
    )
    return convert_members(results, telling)


def placed_matches(batch: Any) -> Iterator[Placed]:
    """Yield the matches of a micro-batch that was collected as Arrow."""
    column = batch.column("match").drop_null().combine_chunks()
    positions = column.field(POSITION).to_pylist() if len(column) else []
    for match, found in zip(matches_in(batch), positions, strict=True):
        yield Placed(match, found)


def read_letters(batch: Any) -> Iterator[DeadLetter]:
    """Yield the dead letters of a micro-batch collected as Arrow, without warnings; `line` is the
    position.
    """
    for row in batch.column("dead_letter").drop_null().to_pylist():
        if row["code"] == EVENT_WARNING:
            continue
        yield DeadLetter(
            row["code"],
            row["reason"],
            row["input"] or "",
            row["line"],
            subscription=row["subscription"],
        )
