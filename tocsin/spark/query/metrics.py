"""Counts of a query, made by Spark itself as rows pass: no second pass, no accumulator.

A `Watch` names the counts of a query. A stream reports them with the progress of every micro-batch,
to a listener or in the last progress; a batch query has them after its first action. A retried task
is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import StreamingQueryListener, StreamingQueryProgress

from tocsin.errors import StateProblem
from tocsin.events.dead_letter import EVENT_WARNING
from tocsin.spark.plans.shard_plans import shard_keys

MAX_SUBSCRIPTIONS = 10_000
"""The number of matching subscriptions of one micro-batch with exact counts; beyond it,
approximate.
"""

_LATE = "LateEvent"
_SHARD = "shard "


@dataclass(frozen=True, slots=True)
class Metrics:
    """Counts of one micro-batch, or of a batch query.

    `events` are input rows. `late` are among `dead_letters`, `warnings` are not: those events were
    served. `by_shard` is the number of events sent to each shard, empty if the query detects no
    composites. `state_rows` and `state_bytes` are the content of the state stores.
    """

    events: int
    matches: int
    dead_letters: int
    late: int
    warnings: int
    by_subscription: Mapping[str, int] = field(default_factory=dict, hash=False)
    state_rows: int = 0
    state_bytes: int = 0
    query: str | None = None
    batch: int | None = None
    by_shard: tuple[int, ...] = ()

    @property
    def skew(self) -> float:
        """The events of the busiest shard relative to the average; 1 if even, or if there are no
        events.
        """
        total = sum(self.by_shard)
        return max(self.by_shard) * len(self.by_shard) / total if total else 1.0


class Watch:
    """The counts of a query under a name; given to `match` as `metrics`.

    Matches are counted by subscription too, unless `by_subscription` is False: before Spark 4.1
    they cannot be.
    """

    def __init__(self, name: str = "tocsin", *, by_subscription: bool = True) -> None:
        self.name = name
        self.by_subscription = by_subscription
        self._observed: list[Observation] = []

    def on_events(self, events: DataFrame) -> DataFrame:
        """Return the same rows, counted as input."""
        self._observed = []
        return self._on(events, "events", [F.count(F.lit(1)).alias("events")])

    def on_results(self, both: DataFrame) -> DataFrame:
        """Return the same matches and dead letters, counted as output."""
        return self._on(both, "results", _counts(self.by_subscription))

    def on_shards(self, rows: DataFrame, hits: Column, shards: int) -> DataFrame:
        """Return the same rows, whose `hits` are counted per shard."""
        counts = [
            F.sum(F.when(F.col("shard") == key, hits)).alias(f"{_SHARD}{number}")
            for number, key in enumerate(shard_keys(shards))
        ]
        return self._on(rows, "shards", counts)

    def get(self) -> Metrics:
        """Return the counts of a batch query; waits for its first action."""
        if not self._observed:
            raise StateProblem(
                f"nothing is watched as {self.name!r}",
                code="MetricsError",
                token=self.name,
                hint=(
                    "match(..., metrics=watch) on a batch; of a stream ask"
                    " watch.of(query.lastProgress)"
                ),
            )
        counts = {name: value for each in self._observed for name, value in each.get.items()}
        return _metrics(counts)

    def of(self, progress: Any) -> Metrics | None:
        """Return the counts in the progress of a micro-batch; None if it has none of this watch."""
        if isinstance(progress, dict) and not hasattr(progress, "batchId"):  # before Spark 4.0
            progress = StreamingQueryProgress.fromJson(progress)
        told = {} if progress is None else progress.observedMetrics
        if f"{self.name}.results" not in told:
            return None
        parts = [told.get(f"{self.name}.{each}") for each in ("results", "events", "shards")]
        counts = {
            name: value
            for each in parts
            if each is not None
            for name, value in each.asDict().items()
        }
        operators = progress.stateOperators
        return _metrics(
            counts,
            state_rows=sum(each.numRowsTotal for each in operators),
            state_bytes=sum(each.memoryUsedBytes for each in operators),
            query=progress.name or str(progress.id),
            batch=progress.batchId,
        )

    def listener(self, hear: Callable[[Metrics], object]) -> StreamingQueryListener:
        """Return a listener for `spark.streams.addListener` that calls `hear` for every watched
        micro-batch.
        """
        return _Listener(self, hear)

    def _on(self, frame: DataFrame, part: str, counts: Iterable[Column]) -> DataFrame:
        name = f"{self.name}.{part}"
        if frame.isStreaming:
            return frame.observe(name, *counts)
        self._observed.append(Observation(name))
        return frame.observe(self._observed[-1], *counts)


class _Listener(StreamingQueryListener):
    def __init__(self, watch: Watch, hear: Callable[[Metrics], object]) -> None:
        self._watch = watch
        self._hear = hear

    def onQueryStarted(self, event: Any) -> None:
        """Do nothing: there are no counts yet."""

    def onQueryProgress(self, event: Any) -> None:
        """Report the counts of a finished micro-batch."""
        counted = self._watch.of(event.progress)
        if counted is not None:
            self._hear(counted)

    def onQueryIdle(self, event: Any) -> None:
        """Do nothing: there were no events."""

    def onQueryTerminated(self, event: Any) -> None:
        """Do nothing: there are no further counts."""


def _counts(by_subscription: bool) -> list[Column]:
    code = F.col("dead_letter.code")
    counts = [
        F.count("match").alias("matches"),
        _count_where(code != EVENT_WARNING).alias("dead_letters"),
        _count_where(code == _LATE).alias("late"),
        _count_where(code == EVENT_WARNING).alias("warnings"),
    ]
    if by_subscription:
        busiest = f"approx_top_k(match.subscription, {MAX_SUBSCRIPTIONS}, {2 * MAX_SUBSCRIPTIONS})"
        counts.append(F.expr(busiest).alias("by_subscription"))
    return counts


def _count_where(condition: Column) -> Column:
    """Return a count of the rows that satisfy a condition.

    For `count_if` Spark would add a projection before all of them.
    """
    return F.count(F.when(condition, F.lit(1)))


def _metrics(counts: Mapping[str, Any], **rest: Any) -> Metrics:
    numbers: dict[str, Any] = {
        name: counts.get(name) or 0
        for name in ("events", "matches", "dead_letters", "late", "warnings")
    }
    busiest = counts.get("by_subscription") or ()
    shards = [name for name in counts if name.startswith(_SHARD)]
    return Metrics(
        **numbers,
        by_subscription={key: count for key, count in busiest if key is not None},
        by_shard=tuple(counts[f"{_SHARD}{number}"] or 0 for number in range(len(shards))),
        **rest,
    )
