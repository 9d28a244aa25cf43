"""One measurement of the sequence patterns as a Spark stream with checkpoints, meant for a process
of its own.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. A file is a micro-batch. The first one, in which Spark and its Python workers start and
subscriptions are compiled, is not counted. There are as many shards as cores unless it is said; a
`bare` trial reads the same files and does nothing with them; a `pinned` one has no other cores than
those it asks for, whatever the machine has.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from tocsin.spark import Watch, local_session, match
from tocsin_benchmarks.harness.input_files import write_in_order
from tocsin_benchmarks.sequences.micro_batches import CORES
from tocsin_benchmarks.sequences.workload import Density, SequenceWorkload

FILES = 11


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial; seconds are of the clock, of all its cores."""
    if request.get("pinned"):  # the JVM and its workers inherit it
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: request["cores"]])
    rows = request.get("rows")
    events = request["events"] if rows is None else FILES * rows
    workload = SequenceWorkload(
        Density(request["density"]), request["patterns"], events, request["seed"]
    )
    subscriptions = [
        {"id": f"p{number}", "language": "opsl", "expression": pattern.text}
        for number, pattern in enumerate(workload.drawn_patterns())
    ]
    with tempfile.TemporaryDirectory() as directory:
        lines = workload.lines()
        share = -(-len(lines) // FILES)
        pieces = (lines[number * share : (number + 1) * share] for number in range(FILES))
        write_in_order(Path(directory) / "in", pieces)
        asked = None if request.get("bare") else subscriptions
        return {"trial": dict(request), **_measured(asked, Path(directory), request)}


def _measured(
    subscriptions: list[dict[str, str]] | None, directory: Path, request: Mapping[str, Any]
) -> dict[str, Any]:
    cores = request.get("cores", CORES)
    shards = request.get("shards", cores)
    session = local_session(f"local[{cores}]", memory="3g", shuffle_partitions=shards)
    watch = Watch()
    found: list[int] = []
    try:
        lines = session.readStream.option("maxFilesPerTrigger", 1).text(str(directory / "in"))
        found_in = (
            lines
            if subscriptions is None
            else match(lines, subscriptions, shards=shards, metrics=watch)
        )
        query = (
            found_in.writeStream.foreachBatch(lambda batch, _: found.append(batch.count()))
            .option("checkpointLocation", str(directory / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        steps = [each for each in query.recentProgress if each["numInputRows"]][1:]
        counted = [one for each in steps if (one := watch.of(each)) is not None]
    finally:
        session.stop()
    seconds = [each["durationMs"]["triggerExecution"] / 1000 for each in steps]
    return {
        "measured_events": sum(each["numInputRows"] for each in steps),
        "seconds": sum(seconds),
        "median_seconds": median(seconds),
        "median_rate": median(each["numInputRows"] for each in steps) / median(seconds),
        "longest_seconds": max(seconds),
        "matches": sum(found),
        "by_shard": [sum(each) for each in zip(*(each.by_shard for each in counted), strict=True)],
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
