"""The interfaces of Spark for keyed state, each as a `KeyedState`.

Spark 4.1 and later hand rows to a processor, Spark 4.0 hands it pandas frames; both keep a map
whose entries are read and written one by one. Spark 3.5 hands one value, which is read and written
whole in every micro-batch, and forgets a timer unless it is set again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, GroupedData, Row
from pyspark.sql.types import BinaryType, LongType, MapType, StructField, StructType

from tocsin.lazy_import import LazyModule
from tocsin.runtime.gc_tuning import a_task, collect_rarely, end_task
from tocsin.spark.shard.detector import Detector
from tocsin.spark.shard.shard import Millis
from tocsin.spark.shard.state_store import StoredShard
from tocsin.spark.versions.capabilities import StateApi
from tocsin.spark.versions.optional_names import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

pd: Any = LazyModule("pandas")

STATE = "head"
"""The name of the map, also of one of three states of earlier versions, which was not a map.

Spark refuses to continue from theirs, and `failures` says what to do.
"""

NUMBER_SCHEMA = StructType([StructField("number", LongType())])
BYTES_SCHEMA = StructType([StructField("packed", BinaryType())])
"""The type of a value; not as text, which each task would send to Spark for parsing, and wait."""

WHOLE_SCHEMA = StructType([StructField(STATE, MapType(LongType(), BinaryType()))])
"""The type of the one value of Spark 3.5."""

PAYLOAD = StructType([StructField("payload", BinaryType())])


class MapState:
    """The map state and the timers of a processor's handle."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._parts = handle.getMapState(STATE, NUMBER_SCHEMA, BYTES_SCHEMA)

    def get(self, number: int) -> bytes | None:
        """Return the bytes under a number, or None."""
        row = self._parts.getValue((number,))
        return None if row is None else bytes(row[0])

    def put(self, number: int, packed: bytes) -> None:
        """Replace the bytes under a number."""
        self._parts.updateValue((number,), (packed,))

    def clear(self) -> None:
        """Remove all numbers."""
        self._parts.clear()

    def set_timer(self, before: Millis | None, at: Millis | None) -> None:
        """Replace the timer at `before` by one at `at`."""
        if before == at:
            return
        if before is not None:
            self._handle.deleteTimer(before)
        if at is not None:
            self._handle.registerTimer(at)


class RowProcessor(StatefulProcessor):
    """The detector for `transformWithState`."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Register the state and tune the process, which does nothing else from here on."""
        collect_rarely()
        self._state = MapState(handle)

    def handleInputRows(
        self, key: Any, rows: Iterator[Any], timerValues: TimerValues
    ) -> Iterator[Any]:
        """Process a micro-batch with rows for the shard."""
        payloads = (bytes(row.payload) for row in rows)
        now = timerValues.getCurrentProcessingTimeInMs()
        for payload in self._detector.take_rows(key, payloads, now, self._state):
            yield Row(payload=payload)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Any]:
        """Process a micro-batch in which the shard's timer is due."""
        now = timerValues.getCurrentProcessingTimeInMs()
        for payload in self._detector.take_timer(key, now, self._state):
            yield Row(payload=payload)

    def close(self) -> None:
        """End the task; no resource is held open."""
        end_task()


class PandasProcessor(RowProcessor):
    """The detector for `transformWithStateInPandas`."""

    def handleInputRows(
        self, key: Any, rows: Iterator[Any], timerValues: TimerValues
    ) -> Iterator[Any]:
        """Process a micro-batch with rows for the shard."""
        now = timerValues.getCurrentProcessingTimeInMs()
        for payload in self._detector.take_rows(key, _payloads(rows), now, self._state):
            yield _frame(payload)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[Any]:
        """Process a micro-batch in which the shard's timer is due."""
        now = timerValues.getCurrentProcessingTimeInMs()
        for payload in self._detector.take_timer(key, now, self._state):
            yield _frame(payload)


class WholeState:
    """The one value of Spark 3.5 as a map; `save` writes it back."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._parts: dict[int, Any] = dict(state.get[0]) if state.exists else {}
        self._timer: Millis | None = None
        self._has_timer = False

    def get(self, number: int) -> bytes | None:
        """Return the bytes under a number, or None."""
        packed = self._parts.get(number)
        return None if packed is None else bytes(packed)

    def put(self, number: int, packed: bytes) -> None:
        """Replace the bytes under a number."""
        self._parts[number] = packed

    def clear(self) -> None:
        """Remove all numbers."""
        self._parts.clear()

    def set_timer(self, before: Millis | None, at: Millis | None) -> None:
        """Note the timer at `at`; Spark has forgotten the one before."""
        self._timer, self._has_timer = at, True

    def save(self, now: Millis) -> None:
        """Write the map and the timer; without a step the timer of the last one is set again.

        A timer that is due already is set for the next micro-batch.
        """
        if not self._has_timer:
            head = StoredShard(self).head()
            self._timer = None if head is None else head.alarm
        if self._parts:
            self._state.update((self._parts,))
        if self._timer is not None:
            self._state.setTimeoutDuration(max(1, self._timer - now))


@dataclass(frozen=True, slots=True)
class GroupStateTask:
    """The detector for `applyInPandasWithState`."""

    detector: Detector

    def serve(self, key: Any, frames: Iterator[Any], state: Any) -> Iterator[Any]:
        """Process a micro-batch with rows for the shard, or in which its timer is due."""
        with a_task():
            now, parts = state.getCurrentProcessingTimeMs(), WholeState(state)
            if state.hasTimedOut:
                results = self.detector.take_timer(key, now, parts)
            else:
                results = self.detector.take_rows(key, _payloads(frames), now, parts)
            for payload in results:
                yield _frame(payload)
            parts.save(now)


def _payloads(frames: Iterator[Any]) -> Iterator[bytes]:
    return (bytes(payload) for frame in frames for payload in frame["payload"])


def _frame(payload: bytes) -> Any:
    return pd.DataFrame({"payload": [payload]})


def _by_rows(shards: GroupedData, detector: Detector, idles: bool) -> DataFrame:
    mode = "ProcessingTime" if idles else "None"
    return shards.transformWithState(RowProcessor(detector), PAYLOAD, "Append", mode)


def _by_frames(shards: GroupedData, detector: Detector, idles: bool) -> DataFrame:
    mode = "ProcessingTime" if idles else "None"
    return shards.transformWithStateInPandas(PandasProcessor(detector), PAYLOAD, "Append", mode)


def _by_whole_state(shards: GroupedData, detector: Detector, idles: bool) -> DataFrame:
    timeout = "ProcessingTimeTimeout" if idles else "NoTimeout"
    serve = GroupStateTask(detector).serve
    return shards.applyInPandasWithState(serve, PAYLOAD, WHOLE_SCHEMA, "Append", timeout)


APPLY: dict[StateApi, Callable[[GroupedData, Detector, bool], DataFrame]] = {
    StateApi.ROWS: _by_rows,
    StateApi.PANDAS: _by_frames,
    StateApi.GROUP_STATE: _by_whole_state,
}
"""How to apply a detector to the rows of shards; timers are needed if an idle clock runs on."""
