"""A clock that was ten years ahead: composites ring again after `reset-time`, and what was seen
stays seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.service.core.asking import Asked, event
from tests.waiting import wait_until
from tocsin.errors import StateProblem
from tocsin.runtime.admission import wall_clock
from tocsin.service.operations.components import open_service
from tocsin.service.operations.recovery import reset_time
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import Settings, load_settings
from tocsin.values.time import format_instant

TEN_YEARS = 3652 * 86_400_000_000
PAIR = "=|(ARITH: phase = 0; 1h) ARITH: phase = 1"


@contextmanager
def serving(settings: Settings) -> Iterator[Asked]:
    service = open_service(settings)
    service.start()
    try:
        yield Asked(
            service,
            TestClient(
                open_app(service), base_url="http://127.0.0.1", raise_server_exceptions=False
            ),
        )
    finally:
        service.stop()


def _timed(id: str, phase: int, after: int) -> dict[str, Any]:
    return event(id, time=format_instant(wall_clock() + after * 1_000_000), phase=phase)


def _play(asked: Asked, name: str) -> bool:
    """Publish two events that belong together and one that ends the wait; True if they ring."""
    asked.publish(_timed(f"{name} 0", 0, 1), _timed(f"{name} 1", 1, 2), _timed(f"{name} 2", 2, 9))
    _await_runner(asked)
    found = asked.http.get("/v1/matches?limit=1000").json()["matches"]
    return [f"{name} 0", f"{name} 1"] in [each["events"] for each in found]


def _await_runner(asked: Asked) -> None:
    wait_until(lambda: asked.service.progress.position() >= asked.service.log.head)


def _require_reset(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as ahead:
        real = time.time_ns
        ahead.setattr(time, "time_ns", lambda: real() + TEN_YEARS * 1000)
        with serving(settings) as asked:
            asked.subscribe("pair", PAIR, "opsl")
            assert _play(asked, "ahead")
            asked.publish(_timed("waits", 0, 10))
            _await_runner(asked)
    with serving(settings) as asked:
        assert not _play(asked, "late"), "the fault is there"
        with pytest.raises(StateProblem, match=r"another process serves|a service matches"):
            reset_time(settings)
        head = asked.service.log.head
    told = "\n".join(reset_time(settings))
    assert "partial matches of subscription 'pair'" in told
    with serving(settings) as asked:
        assert asked.service.log.head == head
        rows = asked.service.log.read_stored(0, 1000)
        assert max(row.received for row in rows) <= wall_clock()
        assert _play(asked, "again")
        asked.publish(_timed("ahead 0", 0, 20), _timed("ahead 1", 1, 21), _timed("end", 2, 30))
        _await_runner(asked)
        found = asked.http.get("/v1/matches?limit=1000").json()["matches"]
        assert [each["events"] for each in found] == [
            ["ahead 0", "ahead 1"],
            ["again 0", "again 1"],
        ]


def test_composites_ring_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(data=tmp_path / "data", auth=False, lateness="0s", idle="off")
    _require_reset(settings, monkeypatch)


@pytest.mark.postgres
def test_composites_ring_again_in_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    settings = load_settings(
        data=tmp_path / "data", database=postgres_url, auth=False, lateness="0s", idle="off"
    )
    _require_reset(settings, monkeypatch)


def test_time_goes_on_from_the_one_that_is_given(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path / "data", auth=False, lateness="0s", idle="off")
    with serving(settings) as asked:
        asked.subscribe("pair", PAIR, "opsl")
        asked.publish(_timed("one", 2, 0))
        _await_runner(asked)
    until = wall_clock() + 1800 * 1_000_000
    reset_time(settings, until)
    with serving(settings) as asked:
        asked.settle()
        assert asked.service.runner.status().watermark == until
