"""The dataflow of a query, batch or streaming.

From rows of events to matches and dead letters:

    rows -> match tasks -> matches                          (conditions on one event)
    rows -> match tasks -> by event -> first of each -> matches      (where each event counts once)
    rows -> match tasks ->                              (shard, payload) -> shards -> matches
    rows -> match tasks -> by event -> first of each -> (shard, payload) -> shards -> matches
    rows -> match tasks -> by event -> first of each -> sorted by shard -> back-test -> matches
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tocsin.catalog import Catalog, Snapshot, Surroundings, compile_subscription
from tocsin.errors import MeaningProblem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.match_task.admission import first_of_each, spread_matches, with_now
from tocsin.spark.match_task.by_event import BY_EVENT, ByEvent
from tocsin.spark.match_task.match_task import ByMatch, Identity, MatchTaskConfig
from tocsin.spark.match_task.stream_task import SENT, DedupedStreamTask, StreamMatchTask
from tocsin.spark.output.batches import narrow_type
from tocsin.spark.plans.shard_plans import ATOMIC_LANGUAGES, DEFAULT_SHARDS, MAX_SHARDS
from tocsin.spark.plans.sources import FIXED_VERSION, VERSION, LiveCatalog, Source, version_table
from tocsin.spark.query.metrics import Watch
from tocsin.spark.shard.backtest import BackTest, detect_batch, spread_over_shards
from tocsin.spark.shard.stream import detect_stream
from tocsin.values.time import Duration, Instant

DEFAULT_LATENESS: Duration = 2_000_000


@dataclass(frozen=True, slots=True)
class DetectionOptions:
    """Options of composite detection: shards, clock of a stream, end of time and late events of a
    batch.

    `ahead` is the distance by which an event may end after the clock of the host; None for no
    limit.
    """

    shards: int = DEFAULT_SHARDS
    pace: ClockSettings = field(default_factory=lambda: ClockSettings(DEFAULT_LATENESS))
    until: Instant | None = None
    late: frozenset[Identity] = frozenset()
    ahead: Duration | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.shards <= MAX_SHARDS:
            raise MeaningProblem(f"shards is a number from 1 to {MAX_SHARDS}, got {self.shards}")


@dataclass(frozen=True, slots=True)
class DedupOptions:
    """Options of deduplication: on or off, and the time for which a stream remembers; None in a
    batch.
    """

    once: bool
    remembered: Duration | None = None


def composites_in(snapshot: Snapshot) -> Iterator[tuple[str, Part]]:
    """Yield the composites of a list or catalog with their ids; those that do not compile are
    skipped.
    """
    light = Surroundings.of(snapshot.definitions)
    for subscription in snapshot.subscriptions:
        if subscription.language in ATOMIC_LANGUAGES:
            continue
        try:
            plan = compile_subscription(subscription, light)
        except Exception:  # the match tasks report it
            continue
        if not isinstance(plan.pattern, Atom):
            yield subscription.id, plan.pattern


def with_version(rows: DataFrame, source: Source) -> DataFrame:
    """Add the catalog version to match with to every row; a fixed list has none."""
    if not isinstance(source, LiveCatalog):
        return rows
    return rows.crossJoin(F.broadcast(version_table(rows.sparkSession, Catalog(source.url))))


def match_rows(
    rows: DataFrame,
    serving: MatchTaskConfig,
    detection: DetectionOptions,
    counting: DedupOptions,
    watch: Watch | None = None,
) -> DataFrame:
    """Convert rows with their version to (match, dead_letter); `watch` counts the messages to
    shards.
    """
    if serving.detects and serving.ahead is not None:
        rows = with_now(rows)
    if counting.once or (serving.detects and not rows.isStreaming):
        return _match_by_event(rows, serving, detection, counting, watch)
    if serving.detects:
        messages = rows.mapInArrow(StreamMatchTask(serving, detection.shards), SENT)
        return _detect(messages, serving, detection, watch)
    return rows.mapInArrow(ByMatch(serving), narrow_type(serving.telling))


def _match_by_event(
    rows: DataFrame,
    serving: MatchTaskConfig,
    detection: DetectionOptions,
    counting: DedupOptions,
    watch: Watch | None,
) -> DataFrame:
    """Convert rows as `match_rows`, with events as separate rows before any result is final."""
    shards = detection.shards if serving.detects else 0
    settled_by_content = counting.once and not rows.isStreaming
    task = ByEvent(serving, settled_by_content, shards, detection.late)
    by_event = rows.mapInArrow(task, BY_EVENT)
    if counting.once:
        by_event = first_of_each(by_event, counting.remembered)
    if not serving.detects:
        return spread_matches(by_event)
    if rows.isStreaming:
        messages = by_event.mapInArrow(DedupedStreamTask(shards), SENT)
        return _detect(messages, serving, detection, watch)
    test = BackTest(serving.source, shards, detection.until, serving.telling)
    spread = spread_over_shards(by_event, shards)
    if watch is not None:
        spread = watch.on_shards(spread, (F.col("id") != "").cast("int"), shards)
    return detect_batch(spread, _versions(rows, serving.source), test)


def _detect(
    messages: DataFrame, serving: MatchTaskConfig, detection: DetectionOptions, watch: Watch | None
) -> DataFrame:
    if watch is not None:
        messages = watch.on_shards(messages, F.col("hits"), detection.shards)
    sent = messages.select("shard", "payload")
    return detect_stream(sent, serving.source, detection.shards, detection.pace, serving.telling)


def _versions(rows: DataFrame, source: Source) -> DataFrame:
    """Return one row, the version for shards without events."""
    spark = rows.sparkSession
    if isinstance(source, LiveCatalog):
        return version_table(spark, Catalog(source.url)).withColumnRenamed(VERSION, "version")
    return spark.range(1).select(F.lit(FIXED_VERSION).cast("bigint").alias("version"))
