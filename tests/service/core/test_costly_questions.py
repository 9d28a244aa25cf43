"""Questions that would take minutes or all memory: refused by name, in the process of a user, which
ends at once when it is told to.
"""

from __future__ import annotations

import json
import math
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.builders import event_json
from tests.service.core.asking import Asked
from tests.service.core.process import Running, running
from tests.waiting import PATIENCE
from tocsin.service.subscriptions import dry_run

BATCH = {"content-type": "application/cloudevents-batch+json"}
CHAIN = {
    "language": "rule",
    "expression": "WHEN x THEN x WITHIN 1h THEN x WITHIN 1h",
    "policy": "unrestricted",
}
PAIRS = {"language": "rule", "expression": "WHEN x THEN x WITHIN 1h", "policy": "globe"}
SECONDS = {"language": "rule", "expression": "WHEN COUNT(x) >= 1 OVER 3600d EVERY 1s"}


def _star(degrees_east: float, corners: int = 5_000) -> str:
    """A polygon; all pairs of the edges of two do not fit into memory together."""
    rays = [(2 * math.pi * n / corners, 10 + math.sin(97 * n)) for n in range(corners)]
    points = [f"{degrees_east + r * math.cos(a):.6f} {r * math.sin(a):.6f}" for a, r in rays]
    return f"POLYGON (({', '.join([*points, points[0]])}))"


def _event(id: str, time: str = "2026-01-01T08:00:00Z") -> dict[str, Any]:
    return event_json(id, "x", time=time, specversion="1.0")


NEAR = {
    "language": "opsl",
    "expression": 'DIST(Star; <; 1)STRING: ce_type = "x"',
    "options": {"crs": "wgs84"},
}
QUESTIONS = {
    "events in a row": (CHAIN, {"position": 500}),
    "edges on the globe": (NEAR, _event("1") | {"place": _star(30.0)}),
}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with a thousand events."""
    with running(tmp_path_factory.mktemp("costly") / "data", "--no-auth") as found:
        times = (f"2026-01-01T08:{number // 60:02d}:{number % 60:02d}Z" for number in range(1_000))
        events = [_event(str(number), time) for number, time in enumerate(times)]
        answer = found.http.post("/v1/events", json=events, headers=BATCH)
        assert answer.json()["accepted"] == len(events)
        star = {"region": _star(0.0)}
        assert found.http.put("/v1/definitions/Star", json=star).status_code == 201
        yield found


@pytest.mark.parametrize("kind", QUESTIONS)
def test_why_not_is_refused_after_its_share_of_work(up: Running, kind: str) -> None:
    subscription, event = QUESTIONS[kind]
    answer = up.http.post("/v1/why-not", json={"subscription": subscription, "event": event})
    assert (answer.status_code, answer.json()["code"]) == (422, "TooMuchWork"), answer.text


def test_a_try_is_refused_before_its_matches_fill_the_memory(up: Running) -> None:
    answer = up.http.post("/v1/try", json=PAIRS | {"last": "1h"})
    assert (answer.status_code, answer.json()["code"]) == (422, "TooManyMatches"), answer.text


def test_a_try_is_refused_where_one_event_rings_every_second(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "MAX_TRY_SECONDS", 0.2)
    asked.publish(_event("long ago", "1990-01-01T00:00:00Z"))
    answer = asked.http.post("/v1/try", json=SECONDS | {"last": "1h"})
    assert (answer.status_code, answer.json()["code"]) == (422, "TooMuchWork"), answer.text


def test_a_signal_ends_a_service_that_is_at_work_on_questions(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--no-auth") as found, ExitStack() as stack:
        events = [_event(str(number)) for number in range(1_000)]
        found.http.post("/v1/events", json=events, headers=BATCH).raise_for_status()
        for path, body in (
            ("/v1/why-not", {"subscription": CHAIN, "event": {"position": 500}}),
            ("/v1/try", PAIRS | {"last": "1h"}),
        ):
            stack.enter_context(_asking(found, path, json.dumps(body)))
        said = found.stop()
        assert said.endswith("stopped; everything is kept\n")
        assert "Traceback" not in said
        assert found.process.returncode == 0


def _asking(up: Running, path: str, body: str) -> socket.socket:
    """A connection that waits for an answer."""
    sock = socket.create_connection(("127.0.0.1", int(up.url.rpartition(":")[2])), PATIENCE)
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n"
    sock.sendall(f"{head}{body}".encode())
    return sock
