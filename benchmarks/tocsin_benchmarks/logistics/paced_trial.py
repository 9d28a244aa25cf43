"""One paced run, meant for a process of its own: publisher here, server and client as processes,
pipes in between.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. Events are sent at their rate whatever becomes of them; for some seconds after the last one
the others may still work.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import sleep, time
from typing import IO, Any

from tocsin_benchmarks.logistics.process import EVERY, READY, set_deadline
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Scenario

TICK = 0.01
START_LIMIT = 900.0
LONGEST_END = 120.0

_SERVERS = {
    "local": "logistics.paced_server",
    "client": "logistics.paced_server",
    "spark": "logistics.paced_spark",
}


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """What was found and sent, and what memory was held, over time."""
    workload = LogisticsWorkload(
        Scenario(request["scenario"]), request["vehicles"], request["events"]
    )
    lines = [position.line() + b"\n" for position in workload.positions()]
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        told = json.dumps({**request, "folder": str(folder)})
        server = _start(_SERVERS[request["host"]], told, subprocess.PIPE, subprocess.PIPE)
        client = _start("logistics.paced_client", told, server.stdout, subprocess.DEVNULL)
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()  # the client has it
        try:
            _await_ready(folder, (server, client))
            begun = time()
            sent = _send(server.stdin, lines, request["rate"])
            set_deadline(folder, time() + request["grace"])
            for process in (client, server):
                process.wait(request["grace"] + LONGEST_END)
        finally:
            for process in (server, client):
                process.kill()
        logs = {
            name: json.loads((folder / f"{name}.json").read_text()) for name in ("server", "client")
        }
    return {
        "trial": dict(request),
        "composites": workload.composites,
        **_figures(logs, begun, sent),
    }


def _start(module: str, told: str, source: Any, target: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"tocsin_benchmarks.{module}", told]
    return subprocess.Popen(command, stdin=source, stdout=target)


def _await_ready(folder: Path, processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Until subscriptions are in place on both sides."""
    limit = time() + START_LIMIT
    while not all((folder / f"{name}.{READY}").exists() for name in ("server", "client")):
        if time() > limit or any(process.poll() is not None for process in processes):
            raise RuntimeError("a process of the run did not become ready")
        sleep(0.05)


def _send(target: IO[bytes], lines: Sequence[bytes], rate: float) -> float:
    """All lines at so many a second; the time of the last one."""
    begun, done = time(), 0
    while done < len(lines):
        due = min(len(lines), int((time() - begun) * rate) + 1)
        target.writelines(lines[done:due])
        target.flush()
        done = due
        sleep(TICK)
    target.close()
    return time()


def _figures(logs: Mapping[str, list[dict[str, Any]]], begun: float, sent: float) -> dict[str, Any]:
    over_time = {
        "composites": _curve(logs["client"], "composites", begun),
        "messages": _curve(logs["server"], "messages", begun),
        "server_bytes": _curve(logs["server"], "memory", begun),
        "client_bytes": _curve(logs["client"], "memory", begun),
    }
    return {
        "sending_seconds": sent - begun,
        "over_time": over_time,
        "found_while_sending": _until(over_time["composites"], sent - begun),
        "messages_while_sending": _until(over_time["messages"], sent - begun),
        "found": over_time["composites"][-1][1],
        "messages": over_time["messages"][-1][1],
        "server_peak": max(value for _, value in over_time["server_bytes"]),
        "client_peak": max(value for _, value in over_time["client_bytes"]),
    }


def _curve(notes: Sequence[Mapping[str, Any]], name: str, begun: float) -> list[tuple[float, int]]:
    """Points of seconds since the first event was sent and a value, without what was noted
    before.
    """
    taken = [note for note in notes if note["at"] > begun - EVERY] or notes[-1:]
    return [(max(0.0, round(note["at"] - begun, 2)), note[name]) for note in taken]


def _until(curve: Sequence[tuple[float, int]], seconds: float) -> int:
    return max((value for at, value in curve if at <= seconds), default=0)


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
