"""Composites on streaming DataFrames: match tasks, one shuffle of what shards want, the stateful
operator, results.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from tocsin.errors import StateProblem
from tocsin.hosts.spark.detection.clock import Pace
from tocsin.hosts.spark.detection.processor import PAYLOAD, Detector
from tocsin.hosts.spark.detection.results import Unpacked
from tocsin.hosts.spark.schemas import BY_MATCH
from tocsin.hosts.spark.sources import Source
from tocsin.hosts.spark.telling import Telling

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def detected(
    messages: DataFrame, source: Source, shards: int, pace: Pace, telling: Telling
) -> DataFrame:
    """Rows (shard, payload) -> (match, dead_letter). Timers need the mode that runs micro-batches
    without input too.
    """
    _require_rocksdb(messages)
    mode = "None" if pace.idle is None else "ProcessingTime"
    detector = Detector(source, shards, pace, telling)
    packed = messages.groupBy("shard").transformWithState(detector, PAYLOAD, "Append", mode)
    return packed.mapInArrow(Unpacked(), BY_MATCH)


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
