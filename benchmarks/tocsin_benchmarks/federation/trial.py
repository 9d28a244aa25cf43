"""One trial of `tocsin bench federation`: servers in a topology, events published at the first, and
what crossed each link; every server's matches are compared with those of one server alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from tocsin.catalog import Subscription, compile_subscription
from tocsin.runtime.finite_run import match_events, read_events
from tocsin_benchmarks.federation.servers import RunningServer, upstream_of, wait_until
from tocsin_benchmarks.federation.workload import LAST, FederationWorkload

_LOOKS = 30
"""How often a server is asked for its matches, a second apart, before they count as different."""


def run(request: dict[str, Any]) -> dict[str, Any]:
    """The figures of one trial."""
    workload = FederationWorkload(
        request["subscriptions"], request["events"], request["interest"], request["seed"]
    )
    given = [workload.subscriptions_at(number) for number in range(request["servers"])]
    lines = [json.dumps(event).encode() for event in workload.published()]
    with tempfile.TemporaryDirectory() as folder:
        servers = _started(Path(folder), request["topology"], given)
        try:
            return {"trial": request, **_measured(servers, given, lines)}
        finally:
            for server in reversed(servers):
                server.stop()


def _started(folder: Path, topology: str, given: list[list[Subscription]]) -> list[RunningServer]:
    servers: list[RunningServer] = []
    for number, subscriptions in enumerate(given):
        above = upstream_of(topology, number)
        url = None if above is None else servers[above].url
        servers.append(RunningServer(folder / str(number), f"s{number}", url, subscriptions))
    return servers


def _measured(
    servers: list[RunningServer], given: list[list[Subscription]], lines: list[bytes]
) -> dict[str, Any]:
    linked = servers[1:]
    begun = time.monotonic()
    _wait_until_settled(linked)
    settled = time.monotonic()
    for start in range(0, len(lines) - 1, 1000):
        servers[0].publish(b"\n".join(lines[start : min(start + 1000, len(lines) - 1)]))
    servers[0].publish(lines[-1])
    for server in servers:
        wait_until(partial(server.has_heard, LAST))
    heard = time.monotonic()
    same = [
        _is_settled_as(server, _alone(subscriptions, lines))
        for server, subscriptions in zip(servers, given, strict=True)
    ]
    counts = [server.link.counts for server in linked]
    return {
        "links": len(linked),
        "wanted": sum(each.wanted for each in counts),
        "asked": sum(each.asked for each in counts),
        "flooded": len(lines) * len(linked),
        "messages": sum(each.messages for each in counts),
        "matches": sum(len(server.matches()) for server in servers),
        "same_matches": all(same),
        "seconds_to_link": settled - begun,
        "seconds_to_hear": heard - settled,
    }


def _wait_until_settled(linked: list[RunningServer]) -> None:
    """Until every server upstream knows all that is wanted of it."""
    wait_until(lambda: all(server.link.is_current() for server in linked))


def _alone(subscriptions: list[Subscription], lines: list[bytes]) -> set[tuple[str, ...]]:
    """What one server finds that hears every event."""
    plans = {each.id: compile_subscription(each) for each in subscriptions}
    found = match_events(plans, read_events(lines))
    return {(match.subscription, *match.events) for match in found}


def _is_settled_as(server: RunningServer, expected: set[tuple[str, ...]]) -> bool:
    """Whether a server comes to have exactly these matches."""
    for _ in range(_LOOKS):
        if server.matches() == expected:
            return True
        time.sleep(1)
    return False


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
