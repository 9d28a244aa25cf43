"""One measurement of COUNT rules as a Spark stream, and of Spark's own count by window and key over
the same files, meant for a process of its own.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. A file is a micro-batch. The first one of each, in which workers start and plans are made,
is not counted. Both keep their state in RocksDB, with checkpoints.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tocsin.errors import MeaningProblem
from tocsin.spark import local_session, match
from tocsin_benchmarks.harness.input_files import write_in_order
from tocsin_benchmarks.rules.workload import LEAST, OVER, Question, RulesWorkload

MASTER = "local[2]"
FILES = 11
_SECONDS = OVER // 1_000_000
_FIELDS = "time TIMESTAMP, data STRUCT<kind: STRING, key: BIGINT>"
_GROUP = ("window", "kind", "key")

Taker = Callable[[DataFrame], None]


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial; seconds are of the clock, of both cores."""
    if request["events"] < FILES:
        raise MeaningProblem(f"{FILES} micro-batches need as many events, got {request['events']}")
    workload = RulesWorkload(
        Question.COUNT, request["rules"], request["keys"], request["events"], request["seed"]
    )
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        lines = workload.lines(workload.reports())
        share = -(-len(lines) // FILES)
        pieces = [lines[start : start + share] for start in range(0, len(lines), share)]
        write_in_order(directory / "in", pieces)
        session = local_session(MASTER, memory="3g")
        try:
            figures = _rules(session, workload, directory) | _groups(session, directory)
        finally:
            session.stop()
    # Progress counts a row each time that a query reads it: the files say how many there are.
    figures["measured_events"] = len(lines) - len(pieces[0])
    return {"trial": dict(request), **figures}


def subscriptions_of(workload: RulesWorkload) -> list[dict[str, str]]:
    """The rules as their texts."""
    return [
        {
            "id": f"rule {number}",
            "language": "rule",
            "expression": (
                f"WHEN COUNT(selector{{ kind = 'k{number}' }}) >= {LEAST} OVER {_SECONDS}s"
                " FOR EACH key"
            ),
        }
        for number in range(workload.rules)
    ]


def _rules(session: SparkSession, workload: RulesWorkload, directory: Path) -> dict[str, Any]:
    found: list[int] = []
    matches = match(_lines(session, directory), subscriptions_of(workload), shards=2, lateness="0s")
    seconds = _measured(
        matches, "append", lambda batch: found.append(batch.count()), directory / "rules"
    )
    return {"seconds": seconds, "matches": sum(found)}


def _groups(session: SparkSession, directory: Path) -> dict[str, Any]:
    found: set[tuple[Any, ...]] = set()
    often = counted(_lines(session, directory))
    take = partial(_gather, found)
    seconds = _measured(often, "update", take, directory / "groups")
    return {"spark_seconds": seconds, "spark_groups": len(found)}


def counted(lines: DataFrame) -> DataFrame:
    """Spark's own count: windows that do not overlap, one aggregation for all kinds and keys."""
    read = F.from_json("value", _FIELDS).alias("event")
    reports = lines.select(read).select("event.time", "event.data.kind", "event.data.key")
    window = F.window("time", f"{_SECONDS} seconds").alias("window")
    counts = reports.withWatermark("time", "0 seconds").groupBy(window, "kind", "key").count()
    return counts.where(F.col("count") >= LEAST)


def _gather(found: set[tuple[Any, ...]], batch: DataFrame) -> None:
    """A group that grows on comes again: it is kept once."""
    found.update((row[0][0], row[1], row[2]) for row in batch.select(*_GROUP).collect())


def _lines(session: SparkSession, directory: Path) -> DataFrame:
    return session.readStream.option("maxFilesPerTrigger", 1).text(str(directory / "in"))


def _measured(frame: DataFrame, mode: str, take: Taker, checkpoint: Path) -> float:
    """The seconds of all micro-batches with input but the first."""
    query = (
        frame.writeStream.outputMode(mode)
        .foreachBatch(lambda batch, _: take(batch))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    steps = [each for each in query.recentProgress if each["numInputRows"]][1:]
    return float(sum(each["durationMs"]["triggerExecution"] for each in steps)) / 1000


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
