"""The server of a paced run on Spark: a stream with checkpoints over files, into which events are
written as they come.

Run as a module with the request as JSON; lines as in `logistics_paced_server`. Messages between
processes are the events that come, the rows that match tasks send to the shards, and the matches.
Memory is of the driver, its Java process and the Python workers together.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Any

from tocsin.spark import local_session, match
from tocsin_benchmarks.logistics.process import Inbox, Logbook, send, tell_ready
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Scenario

MASTER = "local[2]"
PATIENCE = 0.25
"""Seconds of events that make a file."""


def serve(workload: LogisticsWorkload, folder: Path) -> None:
    """All subscriptions in a stream; the first micro-batches, in which workers start, come before
    the run.
    """
    session = local_session(MASTER, memory="3g")
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        (home / "in").mkdir()
        logbook, inbox, files = Logbook(folder, "server"), Inbox(sys.stdin.buffer), _Files(home)
        query = _start(session, workload, home, lambda rows: _tell(rows, logbook))
        for position in workload.warm_up():
            files.write([position.line() + b"\n"])
            query.processAllAvailable()
        before = rows_shuffled(session)
        tell_ready(folder, "server")
        forwarded, came = 0, 0
        for piece in inbox.pieces(PATIENCE):
            files.write(piece)
            came += len(piece)
            shuffled = rows_shuffled(session) - before
            logbook.messages += len(piece) + shuffled - forwarded
            forwarded = shuffled
            logbook.look()
            sleep(PATIENCE)
        files.write([workload.farewell().line() + b"\n"])
        query.processAllAvailable()
        logbook.messages += rows_shuffled(session) - before - forwarded
        logbook.close()
        query.stop()
        session.stop()


def _start(
    session: Any, workload: LogisticsWorkload, home: Path, tell: Callable[[list[Any]], None]
) -> Any:
    lines = session.readStream.text(str(home / "in"))
    found = match(lines, workload.subscriptions(), shards=2, lateness="0s")
    return (
        found.writeStream.foreachBatch(lambda batch, _: tell(batch.collect()))
        .option("checkpointLocation", str(home / "checkpoint"))
        .start()
    )


def _tell(rows: list[Any], logbook: Logbook) -> None:
    send([json.dumps(row.asDict(recursive=True), default=str).encode() + b"\n" for row in rows])
    logbook.messages += len(rows)
    logbook.composites += len(rows)


def rows_shuffled(session: Any) -> int:
    """How many rows tasks have sent to other tasks so far, by Spark's own count."""
    context = session.sparkContext
    gateway, store = context._gateway, context._jsc.sc().statusStore()
    nothing = gateway.jvm.java.util.ArrayList()
    stages = store.stageList(
        nothing, False, False, gateway.new_array(gateway.jvm.double, 0), nothing
    )
    return sum(stages.apply(number).shuffleWriteRecords() for number in range(stages.size()))


class _Files:
    """Where the stream looks for input; a file is there whole or not at all."""

    def __init__(self, home: Path) -> None:
        self._home, self._count = home, 0

    def write(self, lines: list[bytes]) -> None:
        """The next file, if there is anything in it."""
        if lines:
            self._count += 1
            name = f"part-{self._count:05}.jsonl"
            (self._home / name).write_bytes(b"".join(lines))
            (self._home / name).rename(self._home / "in" / name)


def main(request: dict[str, Any]) -> None:
    """The server that a request asks for."""
    workload = LogisticsWorkload(
        Scenario(request["scenario"]), request["vehicles"], request["events"]
    )
    serve(workload, Path(request["folder"]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
