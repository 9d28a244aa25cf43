"""Many subscribers at once, while others ask how the service is: only the runner looks at the state
that it changes, so nobody is answered with a fault.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tocsin_benchmarks.service.workload import ServiceWorkload

from tests.service.serving import served
from tocsin.client import Client
from tocsin.hub.step_hub import StepHub


def test_only_the_runner_looks_at_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = StepHub.pending_count.fget  # type: ignore[attr-defined]
    lookers: set[str] = set()

    def counted(hub: StepHub) -> int:
        lookers.add(threading.current_thread().name)
        return int(counting(hub))

    monkeypatch.setattr(StepHub, "pending_count", property(counted))
    wanted = list(ServiceWorkload(0, 20).subscriptions())
    with served(tmp_path) as server, Client(server.url) as client:
        with ThreadPoolExecutor(4) as threads:
            done = list(threads.map(client.put, wanted))
            ready = list(threads.map(lambda _: client.is_ready(), range(20)))
        assert all(ready)
        assert len(done) == len(client.subscriptions()) == 20
    assert lookers == {"tocsin-runner"}
