"""A killed service whose log loses its tail: refused by name, and served again after `recover`."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.service.core.process import Running, running
from tests.waiting import PATIENCE, wait_until

BATCH = {"content-type": "application/cloudevents-batch+json"}


def _cut(wal: Path, chance: random.Random) -> None:
    content = wal.read_bytes()
    wal.write_bytes(content[: chance.randrange(32, len(content) // 2)])


def _remove(wal: Path, _: random.Random) -> None:
    wal.unlink()


def _overwrite(wal: Path, chance: random.Random) -> None:
    wal.write_bytes(chance.randbytes(wal.stat().st_size))


def _command(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tocsin", *words, "--data", str(data)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def _publish(up: Running, numbers: range) -> None:
    events = [
        {"specversion": "1.0", "id": str(n), "source": "s", "type": "t", "data": {"n": n}}
        for n in numbers
    ]
    answer = up.http.post("/v1/events", json=events, headers=BATCH)
    assert answer.json() == {"accepted": len(numbers), "rejected": []}


def _matched(up: Running) -> list[int]:
    found: list[dict[str, Any]] = up.http.get("/v1/matches?limit=1000").json()["matches"]
    return [int(each["events"][0]) for each in found]


@pytest.mark.parametrize("damage", [_cut, _remove, _overwrite])
def test_a_log_without_its_tail_is_refused_until_it_is_recovered(
    tmp_path: Path, damage: Callable[[Path, random.Random], None]
) -> None:
    data = tmp_path / "data"
    with running(data, "--no-auth") as up:
        body = {"language": "selector", "expression": "n >= 0"}
        assert up.http.put("/v1/subscriptions/all", json=body).status_code == 201
        for start in range(0, 40, 10):  # several commits, so that there is a tail to lose
            _publish(up, range(start, start + 10))
        wait_until(lambda: len(_matched(up)) == 40)
        up.kill()
    damage(data / "log.db-wal", random.Random(damage.__name__))
    refused = _command(data, "up", "--no-auth", "--port", "0")
    assert refused.returncode == 1
    assert "the log" in refused.stderr
    assert "tocsin recover" in refused.stderr
    assert _command(data, "recover").returncode == 1  # it only says what is lost
    recovered = _command(data, "recover", "--yes")
    assert recovered.returncode == 0, recovered.stderr
    with running(data, "--no-auth") as up:
        _publish(up, range(100, 140))
        wait_until(lambda: len(_matched(up)) == 80)
        assert sorted(_matched(up)) == [*range(40), *range(100, 140)]
