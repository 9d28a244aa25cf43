"""The client of a paced run, a process of its own: it counts what it is told, or is fat and finds
composites itself.

Run as a module with the request as JSON; messages come as lines on standard input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tocsin_benchmarks.logistics.client import FatClient
from tocsin_benchmarks.logistics.process import Inbox, Logbook, tell_ready
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Position, Scenario

PATIENCE = 0.05


def run(folder: Path, feed: Callable[[bytes], int]) -> None:
    """Feeds every message, until there are no more or the run is over; what comes then is read and
    dropped.
    """
    logbook, inbox = Logbook(folder, "client"), Inbox(sys.stdin.buffer)
    tell_ready(folder, "client")
    for piece in inbox.pieces(PATIENCE):
        if not _feed_all(piece, feed, logbook):
            break
    logbook.close()
    for _ in inbox.pieces(PATIENCE):
        pass


def _feed_all(piece: Sequence[bytes], feed: Callable[[bytes], int], logbook: Logbook) -> bool:
    """Whether there was time for all of it."""
    logbook.look()
    for line in piece:
        logbook.messages += 1
        logbook.composites += feed(line)
        if logbook.look() and logbook.is_over():
            return False
    return True


def fat_feed(workload: LogisticsWorkload) -> Callable[[bytes], int]:
    """How a fat client takes a message, which is an event."""
    client = FatClient(workload)
    return lambda line: client.feed(Position.of_line(line))


def main(request: dict[str, Any]) -> None:
    """The client that a request asks for."""
    workload = LogisticsWorkload(
        Scenario(request["scenario"]), request["vehicles"], request["events"]
    )
    feed = fat_feed(workload) if request["host"] == "client" else lambda _: 1
    run(Path(request["folder"]), feed)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
