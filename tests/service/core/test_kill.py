"""Killed under load, again and again: every event that was accepted is served, every match is there
once, and those of composites are the ones that an undisturbed run gives.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.builders import event_json
from tests.service.core.process import Running, running
from tests.waiting import PATIENCE, wait_until

KILLS = 3
BATCH = {"content-type": "application/cloudevents-batch+json"}
SUBSCRIPTIONS = {
    "every": {"language": "selector", "expression": "number >= 0"},
    "pair": {"language": "opsl", "expression": "=|(ARITH: phase = 0; 1s) ARITH: phase = 1"},
}


class Publisher(threading.Thread):
    """Publishes numbered events until it is stopped; remembers what was answered with 202, and
    sends what was not answered again, as a careful publisher does.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.url: str | None = None
        self.accepted: list[int] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        number = 0
        while not self.stopping.is_set():
            batch = list(range(number, number + 20))
            if self._is_accepted(batch):
                self.accepted += batch
                number += 20
            else:
                self.stopping.wait(0.02)

    def _is_accepted(self, batch: list[int]) -> bool:
        if self.url is None:
            return False
        try:
            answer = httpx.post(
                f"{self.url}/v1/events",
                json=[_event(number) for number in batch],
                headers=BATCH,
                timeout=PATIENCE,
                trust_env=False,
            )
        except httpx.HTTPError:
            return False
        return answer.status_code == 202


def _event(number: int) -> dict[str, Any]:
    """One every millisecond of a time of its own, so that nothing depends on the clock."""
    data = {"number": number, "phase": number % 50}
    return event_json(number, "n", number / 1000, source="load", specversion="1.0", data=data)


def _all_matches(server: Running) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = 0
    while True:
        page = server.http.get("/v1/matches", params={"after": after, "limit": 10_000}).json()
        if not page["matches"]:
            return found
        found += page["matches"]
        after = page["next"]


@pytest.mark.parametrize("seed", [1])
def test_killed_under_load_nothing_is_lost_and_nothing_is_doubled(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOCSIN_IDLE", "off")
    chance = random.Random(seed)
    publisher = Publisher()
    publisher.start()
    for _ in range(KILLS):
        with running(tmp_path / "data", "--engine", "local", "--no-auth") as server:
            for id, body in SUBSCRIPTIONS.items():
                server.http.put(f"/v1/subscriptions/{id}", json=body)
            before = len(publisher.accepted)
            publisher.url = server.url
            wait_until(lambda seen=before: len(publisher.accepted) > seen + 200)
            publisher.stopping.wait(chance.uniform(0.0, 0.7))
            server.kill()
            publisher.url = None
    with running(tmp_path / "data", "--engine", "local", "--no-auth") as server:
        publisher.url = server.url
        before = len(publisher.accepted)
        wait_until(lambda: len(publisher.accepted) > before + 100)
        publisher.stopping.set()
        publisher.join(PATIENCE)
        last = max(publisher.accepted)
        end = _event(last) | {"id": "end", "time": "2026-01-01T00:59:59Z"}
        assert server.http.post("/v1/events", json=[end], headers=BATCH).status_code == 202
        wait_until(lambda: any(m["events"] == ["end"] for m in _all_matches(server)))
        wait_until(lambda: server.http.get("/readyz").json()["lag"] == 0)
        matches = [m for m in _all_matches(server) if m["events"] != ["end"]]
    rung = Counter(m["events"][0] for m in matches if m["subscription"] == "every")
    assert set(rung.values()) == {1}
    assert set(map(int, rung)) >= set(publisher.accepted)
    assert len({m["id"] for m in matches}) == len(matches)
    pairs = Counter(tuple(m["events"]) for m in matches if m["subscription"] == "pair")
    assert pairs == Counter((str(number), str(number + 1)) for number in range(0, last, 50))
