"""What passes through a query, counted by Spark itself where it passes: no second pass, no
accumulator.

A `Watch` names the counts of a query. A stream tells them with the progress of every micro-batch,
to a listener or to whoever asks for the last progress; a batch query has them after its first
action. A task that is tried again is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import StreamingQueryListener

from tocsin.errors import StateProblem
from tocsin.events.dead_letter import EVENT_WARNING
from tocsin.spark.plans.shard_assignment import shard_keys

MOST_SUBSCRIPTIONS = 10_000
"""So many subscriptions that ring in one micro-batch are counted exactly; of more, the busiest,
about.
"""

_LATE = "LateEvent"
_SHARD = "shard "


@dataclass(frozen=True, slots=True)
class Metrics:
    """Counts of one micro-batch, or of a batch query; `state_rows` and `state_bytes` are what its
    state stores hold.

    `events` are rows that came in. `late` are among `dead_letters`, `warnings` are not: those
    events were served. `by_shard` is how many events each shard was sent, none where the query
    detects no composites.
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
        """How many times as many events the busiest shard was sent as all on average; 1 where
        they are even, or were sent none.
        """
        total = sum(self.by_shard)
        return max(self.by_shard) * len(self.by_shard) / total if total else 1.0


class Watch:
    """The counts of a query under a name: give it to `match` as `metrics`, then listen or ask."""

    def __init__(self, name: str = "tocsin") -> None:
        self.name = name
        self._observed: list[Observation] = []

    def on_events(self, events: DataFrame) -> DataFrame:
        """The same rows, counted where they come in."""
        self._observed = []
        return self._on(events, "events", [F.count(F.lit(1)).alias("events")])

    def on_results(self, both: DataFrame) -> DataFrame:
        """The same matches and dead letters, counted where they come out."""
        return self._on(both, "results", _counts())

    def on_shards(self, rows: DataFrame, hits: Column, shards: int) -> DataFrame:
        """The same rows, of which each brings so many events to its shard."""
        counts = [
            F.sum(F.when(F.col("shard") == key, hits)).alias(f"{_SHARD}{number}")
            for number, key in enumerate(shard_keys(shards))
        ]
        return self._on(rows, "shards", counts)

    def get(self) -> Metrics:
        """The counts of a batch query; waits for its first action."""
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
        """The counts in the progress of a micro-batch; None where there is none, or the query has
        another watch.
        """
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
        """For `spark.streams.addListener`: hears the counts of every micro-batch of every query
        that it watches.
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
        """Nothing is counted yet."""

    def onQueryProgress(self, event: Any) -> None:
        """A micro-batch is done."""
        counted = self._watch.of(event.progress)
        if counted is not None:
            self._hear(counted)

    def onQueryIdle(self, event: Any) -> None:
        """Nothing came."""

    def onQueryTerminated(self, event: Any) -> None:
        """Nothing more comes."""


def _counts() -> list[Column]:
    code = F.col("dead_letter.code")
    busiest = F.expr(
        f"approx_top_k(match.subscription, {MOST_SUBSCRIPTIONS}, {2 * MOST_SUBSCRIPTIONS})"
    )
    return [
        F.count("match").alias("matches"),
        _count_where(code != EVENT_WARNING).alias("dead_letters"),
        _count_where(code == _LATE).alias("late"),
        _count_where(code == EVENT_WARNING).alias("warnings"),
        busiest.alias("by_subscription"),
    ]


def _count_where(condition: Column) -> Column:
    """How many rows it is true of; for `count_if` Spark would put a projection before them all."""
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
