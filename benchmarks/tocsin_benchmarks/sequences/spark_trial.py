"""One measurement of the sequence patterns as a Spark stream with checkpoints, meant for a process
of its own.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. A file is a micro-batch. The first one, in which Spark and its Python workers start and
subscriptions are compiled, is not counted. There are as many shards as cores.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tocsin.spark import Watch, local_session, match
from tocsin_benchmarks.harness.input_files import write_in_order
from tocsin_benchmarks.sequences.workload import Density, SequenceWorkload

CORES = 2
FILES = 11


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial; seconds are of the clock, of all its cores."""
    workload = SequenceWorkload(
        Density(request["density"]), request["patterns"], request["events"], request["seed"]
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
        cores = request.get("cores", CORES)
        return {"trial": dict(request), **_measured(subscriptions, Path(directory), cores)}


def _measured(subscriptions: list[dict[str, str]], directory: Path, cores: int) -> dict[str, Any]:
    session = local_session(f"local[{cores}]", memory="3g")
    watch = Watch()
    found: list[int] = []
    try:
        lines = session.readStream.option("maxFilesPerTrigger", 1).text(str(directory / "in"))
        query = (
            match(lines, subscriptions, shards=cores, metrics=watch)
            .writeStream.foreachBatch(lambda batch, _: found.append(batch.count()))
            .option("checkpointLocation", str(directory / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        steps = [each for each in query.recentProgress if each["numInputRows"]][1:]
        counted = [one for each in steps if (one := watch.of(each)) is not None]
    finally:
        session.stop()
    return {
        "measured_events": sum(each["numInputRows"] for each in steps),
        "seconds": sum(each["durationMs"]["triggerExecution"] for each in steps) / 1000,
        "matches": sum(found),
        "by_shard": [sum(each) for each in zip(*(each.by_shard for each in counted), strict=True)],
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
