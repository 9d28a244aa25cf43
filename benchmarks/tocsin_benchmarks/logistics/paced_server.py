"""The server of a paced run, a process of its own: the local host, or a broker that filters for a
fat client.

Run as a module with the request as JSON; events come as lines on standard input, messages to the
client go as lines to standard output. Spark has a file of its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tocsin.events.matches.match import Match
from tocsin.hub.hub import Hub
from tocsin_benchmarks.logistics.process import Inbox, Logbook, send, tell_ready
from tocsin_benchmarks.logistics.workload import (
    LogisticsWorkload,
    Position,
    Scenario,
    kind_of_vehicle,
    leader_of,
)

PATIENCE = 0.05
WARM_UP = 400
LONG_AFTER = "2027-01-01T00:00:00Z"


def serve_locally(workload: LogisticsWorkload, folder: Path) -> None:
    """All subscriptions in a Hub; a match is one message."""
    hub, logbook, inbox = Hub(lateness="0s"), Logbook(folder, "server"), Inbox(sys.stdin.buffer)
    for subscription in workload.subscriptions():
        hub.subscribe(**subscription)
    _warm_up(workload.scenario)
    tell_ready(folder, "server")
    for piece in inbox.pieces(PATIENCE):
        _tell(hub.publish(*piece), logbook, len(piece))
    _tell(hub.advance_to(LONG_AFTER), logbook, 0)
    logbook.close()


def _warm_up(scenario: Scenario) -> None:
    """What is compiled on first use is compiled before the run, in a hub of its own."""
    some, hub = LogisticsWorkload(scenario, 10, WARM_UP), Hub(lateness="0s")
    for subscription in some.subscriptions():
        hub.subscribe(**subscription)
    hub.publish(*[position.line() for position in some.positions()])


def _tell(matches: list[Match], logbook: Logbook, came: int) -> None:
    send([json.dumps(match.as_json()).encode() + b"\n" for match in matches])
    logbook.messages += came + len(matches)
    logbook.composites += len(matches)
    logbook.look()


def serve_as_broker(workload: LogisticsWorkload, folder: Path) -> None:
    """Knows the atomic subscriptions of the client and forwards every event that one of
    them wants.
    """
    logbook, inbox = Logbook(folder, "server"), Inbox(sys.stdin.buffer)
    wanted = {(each, kind_of_vehicle(each)) for each in _vehicles(workload)}
    tell_ready(folder, "server")
    for piece in inbox.pieces(PATIENCE):
        positions = [Position.of_line(line) for line in piece]
        forwarded = [
            line
            for line, each in zip(piece, positions, strict=True)
            if (each.vehicle, each.kind) in wanted
        ]
        send(forwarded)
        logbook.messages += len(piece) + len(forwarded)
        logbook.look()
    logbook.close()


def _vehicles(workload: LogisticsWorkload) -> set[int]:
    followers = set(range(1, workload.vehicles + 1))
    return (
        followers | set(map(leader_of, followers))
        if workload.scenario is Scenario.CONVOY
        else followers
    )


_SERVERS = {"local": serve_locally, "client": serve_as_broker}


def main(request: dict[str, Any]) -> None:
    """The server that a request asks for."""
    workload = LogisticsWorkload(
        Scenario(request["scenario"]), request["vehicles"], request["events"]
    )
    _SERVERS[request["host"]](workload, Path(request["folder"]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
