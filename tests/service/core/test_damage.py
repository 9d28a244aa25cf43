"""Stores that have lost something: a service serves all that it accepts, or refuses by the name of
the store; `recover` leads on, with positions above all that were seen.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.service.core.asking import Asked, event
from tests.service.core.damage import DAMAGES, FILES, STORES, Damage
from tests.waiting import wait_until
from tocsin.errors import Problem
from tocsin.runtime.admission import wall_clock
from tocsin.service.operations.components import open_service
from tocsin.service.operations.recovery import explain_losses, recover_stores
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import Settings, load_settings
from tocsin.values.time import format_instant

PAIR = "=|(ARITH: phase = 0; 1h) ARITH: phase = 1"
HOOK = {"webhook": "https://receiver.example/hook"}
REFUSALS = {"StoreBehind", "StoreDamaged"}
SEEDS = (0, 2)
"""Of 2, the version that lines follow survives and the lines do not."""


@contextmanager
def serving(folder: Path) -> Iterator[Asked]:
    service = open_service(_settings(folder))
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


def _settings(folder: Path) -> Settings:
    return load_settings(data=folder, auth=False, lateness="0s", idle="off")


def _publish(asked: Asked, *numbers: int) -> None:
    asked.publish(*(event(str(number), number=number, phase=2) for number in numbers))


def _timed(id: str, phase: int, after: int = 0) -> dict[str, Any]:
    """An event some seconds from now: time is told by events alone."""
    return event(id, time=format_instant(wall_clock() + after * 1_000_000), phase=phase)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of one service: an early one, one as after a kill, one after it was stopped."""
    base = tmp_path_factory.mktemp("images")
    folder = base / "data"
    with serving(folder) as asked:
        asked.subscribe("every", "number >= 0", deliver=HOOK)
        _publish(asked, *range(20))
        asked.settle()
        _copy_live(folder, base / "older")
    with serving(folder) as asked:
        asked.subscribe("pair", PAIR, "opsl")
        _publish(asked, *range(20, 60))
        asked.publish(_timed("half", phase=0))
        asked.settle()
        wait_until(lambda: not asked.service.runner._unsaved.steps)  # type: ignore[attr-defined]
        _copy_live(folder, base / "killed")
    shutil.copytree(folder, base / "stopped")
    return {name: base / name for name in ("older", "killed", "stopped")}


def _copy_live(folder: Path, copy: Path) -> None:
    """Copy the folder of a running service that has nothing to do.

    The catalog opens a connection for each look: its write-ahead file, which is empty, comes and
    goes, and may be gone before it is copied.
    """
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("catalog.db-*"))


def _copy(images: dict[str, Path], name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(images[name], tmp_path / "data"))


def _require_ringing(asked: Asked, numbers: range) -> None:
    """New events ring once each, and no match is there twice."""
    _publish(asked, *numbers)
    found = _found(asked)
    assert {("every", str(number)) for number in numbers} <= found.keys()
    assert max(found.values()) == 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    ("image", "file"),
    # the catalog keeps no connection open, and so no write-ahead file
    [("killed", file) for file in FILES if file != "catalog.db-wal"]
    + [("stopped", file) for file in FILES if not file.endswith("-wal")],
)
def test_what_is_accepted_rings_or_the_store_is_named(
    images: dict[str, Path], image: str, file: str, damage: Damage, seed: int, tmp_path: Path
) -> None:
    folder = _copy(images, image, tmp_path)
    damage(folder / file, images["older"], random.Random(f"{image} {file} {seed}"))
    store = file.partition(".")[0]
    refusal = _refusal(folder)
    if refusal is None:
        _require_everything(folder)
        return
    assert refusal.code in REFUSALS, refusal
    assert f"the {store} is " in refusal.message
    _require_recovery(folder, store)


def _refusal(folder: Path) -> Problem | None:
    try:
        open_service(_settings(folder)).stop()
    except Problem as problem:
        return problem
    return None


def _require_everything(folder: Path) -> None:
    """Nothing was lost: what rang, what waited, what is subscribed and delivered."""
    with serving(folder) as asked:
        _require_ringing(asked, range(100, 140))
        asked.publish(_timed("whole", 1, after=60), _timed("end", 2, after=120))
        assert ("pair", "half", "whole") in _found(asked)
        assert {("every", str(number)) for number in range(60)} <= _found(asked).keys()
        assert len(asked.http.get("/v1/subscriptions").json()["subscriptions"]) == 2
        assert asked.http.get("/v1/subscriptions/every/delivery").status_code == 200


def _found(asked: Asked) -> Counter[tuple[str, ...]]:
    return Counter((each["subscription"], *each["events"]) for each in asked.matches(limit=1000))


def _require_recovery(folder: Path, store: str) -> None:
    settings = _settings(folder)
    told = explain_losses(settings)
    with pytest.raises(Problem):
        open_service(settings).stop()  # explaining changes nothing
    head = max(_seen_positions(folder))
    assert any(line.startswith(f"the {store} is ") for line in told)
    assert recover_stores(settings)
    assert recover_stores(settings) == []
    with serving(folder) as asked:
        if not asked.http.get("/v1/subscriptions").json()["subscriptions"]:
            asked.subscribe("every", "number >= 0", deliver=HOOK)
        before = asked.service.log.head
        assert before >= head
        _require_ringing(asked, range(200, 240))
        assert asked.service.log.head == before + 40
        assert asked.http.get("/v1/subscriptions/every/delivery").status_code == 200
        if asked.http.get("/v1/subscriptions/pair").status_code == 200:
            asked.publish(_timed("first", 0, after=60), _timed("second", 1, after=61))
            asked.publish(_timed("end", 2, after=120))
            assert any(names[-1] == "second" for names in _found(asked))


def _seen_positions(folder: Path) -> Iterator[int]:
    """Yield the positions in the log that marks tell of; read apart from the code under test."""
    for name in ("log", "epcis", "state"):
        text = (folder / f"{name}.mark").read_text().partition(" ")[2]
        heads = json.loads(text)["heads"]
        yield from (heads.get(key, 0) for key in ("events", "position", "runner"))


def test_a_damaged_snapshot_gives_way_to_the_one_before(
    images: dict[str, Path], tmp_path: Path
) -> None:
    folder = _copy(images, "stopped", tmp_path)
    with closing(sqlite3.connect(folder / "state.db")) as state:
        steps = state.execute("SELECT step FROM tocsin_generations ORDER BY step").fetchall()
        assert len(steps) == 2
        state.execute(
            "UPDATE tocsin_generations SET body = zeroblob(length(body)) WHERE step = ?", steps[-1]
        )
        state.commit()
    with serving(folder) as asked:
        wait_until(lambda: asked.service.runner.status().is_ready)
        assert "tocsin_snapshot_fallbacks_total 1.0" in asked.http.get("/metrics").text
    _require_everything(folder)


def test_without_a_snapshot_that_is_whole_the_runner_is_not_ready(
    images: dict[str, Path], tmp_path: Path
) -> None:
    folder = _copy(images, "stopped", tmp_path)
    with closing(sqlite3.connect(folder / "state.db")) as state:
        state.execute("UPDATE tocsin_generations SET body = zeroblob(length(body))")
        state.execute("DELETE FROM tocsin_steps WHERE number = 1")
        state.commit()
    with serving(folder) as asked:
        wait_until(lambda: asked.service.runner.status().error)
        answer = asked.http.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["error"].startswith("SnapshotDamaged: no snapshot in the state")
    assert recover_stores(_settings(folder))
    with serving(folder) as asked:
        _require_ringing(asked, range(200, 240))


def test_a_folder_of_an_earlier_version_opens_as_before(
    images: dict[str, Path], tmp_path: Path
) -> None:
    folder = _copy(images, "stopped", tmp_path)
    for mark in folder.glob("*.mark"):
        mark.unlink()
    for name in ("log", "state", "delivery", "epcis"):
        with closing(sqlite3.connect(folder / f"{name}.db")) as store:
            store.execute("DROP TABLE tocsin_writes")
            store.execute(f"DROP TABLE tocsin_schema_{name}")
            store.commit()
    with closing(sqlite3.connect(folder / "state.db")) as state:
        state.execute(
            "INSERT INTO tocsin_snapshots SELECT runner, step, position, taken, body"
            " FROM tocsin_generations ORDER BY step DESC LIMIT 1"
        )
        state.execute("DROP TABLE tocsin_generations")
        state.commit()
    _require_everything(folder)
    assert {mark.stem for mark in folder.glob("*.mark")} == set(STORES)
