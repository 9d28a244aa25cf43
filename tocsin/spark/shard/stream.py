"""Composites on streaming DataFrames: match tasks, one shuffle, the stateful operator.

The operator turns the rows of one shard into packed results; a timer wakes a shard on an idle
stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from tocsin.errors import StateProblem
from tocsin.runtime.gc_tuning import a_task
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.match_task.messages import unpack_results
from tocsin.spark.output.batches import narrow, narrow_type
from tocsin.spark.output.member_output import MemberOutput
from tocsin.spark.plans.sources import Source
from tocsin.spark.shard.detector import Detector
from tocsin.spark.shard.state_apis import APPLY
from tocsin.spark.versions.capabilities import StateApi, support_of

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def detect_stream(
    messages: DataFrame, source: Source, shards: int, pace: ClockSettings, telling: MemberOutput
) -> DataFrame:
    """Convert rows (shard, payload) to (match, dead_letter).

    Timers need the mode that runs micro-batches without input too.
    """
    api = support_of(messages.sparkSession).state_api
    if api is not StateApi.GROUP_STATE:
        _require_rocksdb(messages)
    detector = Detector(source, shards, pace, telling)
    packed = APPLY[api](messages.groupBy("shard"), detector, pace.idle is not None)
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
