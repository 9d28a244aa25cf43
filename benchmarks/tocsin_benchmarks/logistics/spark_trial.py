"""One class of the logistics scenario as a Spark stream with checkpoints, meant for a process of
its own.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. A file is a micro-batch. The first one, in which Spark and its Python workers start and
subscriptions are compiled, is not counted.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tocsin.spark import local_session, match
from tocsin_benchmarks.harness.input_files import write_in_order
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Scenario

MASTER = "local[2]"
PIECE = 2_000
"""Events of a file: one second of the paper's run."""


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one class; seconds are of the clock, of both cores."""
    workload = LogisticsWorkload(
        Scenario(request["scenario"]), request["vehicles"], request["events"]
    )
    with tempfile.TemporaryDirectory() as directory:
        write_in_order(Path(directory) / "in", _pieces(workload))
        measured = _measured(workload.subscriptions(), Path(directory))
        return {"trial": dict(request), "composites": workload.composites, **measured}


def _measured(subscriptions: list[dict[str, Any]], directory: Path) -> dict[str, Any]:
    session = local_session(MASTER, memory="3g")
    found: list[int] = []
    try:
        lines = session.readStream.option("maxFilesPerTrigger", 1).text(str(directory / "in"))
        query = (
            match(lines, subscriptions, shards=2, lateness="0s")
            .writeStream.foreachBatch(lambda batch, _: found.append(batch.count()))
            .option("checkpointLocation", str(directory / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        steps = [each for each in query.recentProgress if each["numInputRows"]][1:]
    finally:
        session.stop()
    return {
        "measured_events": sum(each["numInputRows"] for each in steps),
        "seconds": sum(each["durationMs"]["triggerExecution"] for each in steps) / 1000,
        "found": sum(found),
    }


def _pieces(workload: LogisticsWorkload) -> list[Sequence[bytes]]:
    """Warm-up events first, then the events of the run, then one with which the time of all of them
    has passed.
    """
    lines = [position.line() for position in workload.positions()]
    pieces: list[Sequence[bytes]] = [[position.line() for position in workload.warm_up()]]
    pieces += [lines[first : first + PIECE] for first in range(0, len(lines), PIECE)]
    pieces.append([workload.farewell().line()])
    return pieces


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
