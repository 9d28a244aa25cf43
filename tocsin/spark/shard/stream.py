"""Composites on streaming DataFrames: match tasks, one shuffle, the stateful operator.

The operator turns the rows of one shard into packed results; a timer wakes a shard on an idle
stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from tocsin.errors import StateProblem
from tocsin.runtime.gc_tuning import a_task, collect_rarely, end_task
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.match_task.messages import MESSAGE, unpack_results
from tocsin.spark.output.batches import narrow, narrow_type
from tocsin.spark.output.member_output import IDS_ONLY, MemberOutput
from tocsin.spark.plans.shard_plans import shard_keys
from tocsin.spark.plans.sources import Source
from tocsin.spark.shard.shard import Millis, ShardConfig, step_of
from tocsin.spark.shard.state_store import (
    BYTES_SCHEMA,
    NUMBER_SCHEMA,
    STATE,
    ShardStore,
    StoredShard,
)

PAYLOAD = "payload binary"


class Detector(StatefulProcessor):
    """Detector of the composites of a shard. Results of match tasks pass through unchanged."""

    def __init__(
        self, source: Source, shards: int, pace: ClockSettings, telling: MemberOutput = IDS_ONLY
    ) -> None:
        self._source = source
        self._shards = shards
        self._pace = pace
        self._telling = telling

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Register the state and tune the process, which does nothing else from here on."""
        collect_rarely()
        self._handle = handle
        parts = handle.getMapState(STATE, NUMBER_SCHEMA, BYTES_SCHEMA)
        self._keeper = ShardStore(StoredShard(parts))

    def handleInputRows(
        self, key: Any, rows: Iterator[Row], timerValues: TimerValues
    ) -> Iterator[Row]:
        """Process a micro-batch with rows for the shard."""
        messages = []
        for row in rows:
            payload = bytes(row.payload)
            if payload.startswith(MESSAGE):
                messages.append(payload)
            else:
                yield Row(payload=payload)
        if messages:
            yield from self._stepped(
                key, messages, timerValues.getCurrentProcessingTimeInMs(), fired=False
            )

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Row]:
        """Process a micro-batch in which the shard's timer is due."""
        yield from self._stepped(key, [], timerValues.getCurrentProcessingTimeInMs(), fired=True)

    def close(self) -> None:
        """End the task; no resource is held open."""
        end_task()

    def _stepped(self, key: Any, messages: list[bytes], now: Millis, fired: bool) -> Iterator[Row]:
        setting = ShardConfig(shard_keys(self._shards).index(key[0]), self._shards, self._pace)
        head, step = self._keeper.head(setting), step_of(messages, now)
        source = self._source if messages else None
        taken = self._keeper.take(head, setting, source, self._telling, step)
        known = head.alarm if head is not None and not fired else None
        alarm = self._next_alarm(known, taken.due, now)
        self._keeper.save(head, setting, step, taken, alarm)
        for payload in taken.payloads:
            yield Row(payload=payload)

    def _next_alarm(self, known: Millis | None, due: Millis | None, now: Millis) -> Millis | None:
        """Return the time of the one timer: keep an earlier one, replace a later one.

        A timer that fires too early is set again.
        """
        if due is None or (known is not None and known <= due):
            return known
        if known is not None:
            self._handle.deleteTimer(known)
        alarm = max(due, now + 1)
        self._handle.registerTimer(alarm)
        return alarm


_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def detect_stream(
    messages: DataFrame, source: Source, shards: int, pace: ClockSettings, telling: MemberOutput
) -> DataFrame:
    """Convert rows (shard, payload) to (match, dead_letter).

    Timers need the mode that runs micro-batches without input too.
    """
    _require_rocksdb(messages)
    mode = "None" if pace.idle is None else "ProcessingTime"
    detector = Detector(source, shards, pace, telling)
    packed = messages.groupBy("shard").transformWithState(detector, PAYLOAD, "Append", mode)
    return packed.mapInArrow(Unpacked(telling), narrow_type(telling))


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Task: rows of packed results -> (match, dead_letter)."""

    telling: MemberOutput

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        with a_task():
            for rows in batches:
                for payload in rows.column("payload"):
                    yield narrow(unpack_results(payload.as_buffer()), self.telling)


def _require_rocksdb(rows: DataFrame) -> None:
    found = rows.sparkSession.conf.get(_PROVIDER, "") or ""
    if "RocksDB" not in found:
        raise StateProblem(
            "composites on a stream need the RocksDB state store",
            code="SparkError",
            hint=(
                f"set {_PROVIDER} to"
                " org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
            ),
        )
