"""A driver killed with SIGKILL at 20 random points and started again delivers what one never killed
delivers.

Starting a driver is what takes the time, so one driver serves several streams, each with an input
and a checkpoint of its own: a kill meets each of them at another point of its run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.spark.shard.driver import SUBSCRIPTIONS
from tests.spark.shard.scenes import Stream, cut, line, local, random_lines, shuffled_within
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]
IS_LONG = os.environ.get("TOCSIN_EXAMPLES") == "long"
STREAMS = 4
KILLS = 20 if IS_LONG else 5
FILES = 12 * KILLS


@dataclass(frozen=True)
class World:
    """One stream: its lines as they happened, where it lies, and how far it has come."""

    folder: Path
    lines: list[str]

    def delivered(self) -> list[Path]:
        return list(self.folder.glob("rung/*.jsonl"))

    def planned(self) -> int:
        """How many micro-batches were begun."""
        return newest(self.folder / "checkpoint" / "offsets") + 1

    def committed(self) -> int:
        return newest(self.folder / "checkpoint" / "commits") + 1


def newest(log: Path) -> int:
    return max((int(file.name) for file in log.glob("*") if file.name.isdigit()), default=-1)


@pytest.mark.spark
def test_a_killed_driver_goes_on_where_it_was(tmp_path: Path) -> None:
    seed = random.randrange(2**32) if IS_LONG else 3
    chance = random.Random(seed)
    worlds = [world_in(tmp_path / f"stream{number}", chance) for number in range(STREAMS)]
    inside = 0
    for _ in range(KILLS):
        killed_while_it_works(tmp_path, worlds, chance)
        assert all(0 < world.planned() < FILES for world in worlds), (
            f"killed in the middle of the run, seed {seed}"
        )
        inside += sum(world.planned() > world.committed() for world in worlds)
    assert inside > 0, f"some micro-batches were interrupted, seed {seed}"
    with driver(tmp_path, files_at_once=FILES) as last:
        wait_until(
            lambda: last.poll() is not None,
            progress=lambda: [len(world.delivered()) for world in worlds],
        )
        assert last.returncode == 0, errors(tmp_path)
    for world in worlds:
        all_is_delivered_once(world, f"{world.folder.name}, seed {seed}")


def all_is_delivered_once(world: World, where: str) -> None:
    """What a sink keeps that writes a micro-batch as a whole under its number, and what one that
    drops ids it has.
    """
    expected = {each.id: each.as_json() for each in local(SUBSCRIPTIONS, world.lines)}
    attempts = defaultdict(list)
    for file in world.delivered():
        attempts[int(file.name.split(".")[0])].append(
            [json.loads(text) for text in file.read_text().splitlines()]
        )
    for number, tries in attempts.items():
        told = [sorted(map(json.dumps, each)) for each in tries]
        assert told == told[:1] * len(told), (
            f"micro-batch {number} run again tells the same: {where}"
        )
    by_number = [each for tries in attempts.values() for each in tries[0]]
    assert sorted(each["id"] for each in by_number) == sorted(expected), (
        f"each id once, none missing: {where}"
    )
    by_id = {each["id"]: each for tries in attempts.values() for some in tries for each in some}
    assert by_id == {id: json.loads(json.dumps(each)) for id, each in expected.items()}, where


def world_in(folder: Path, chance: random.Random) -> World:
    """Events a little out of order, in many small files, the last of which ends all windows."""
    lines, last = random_lines(chance, 4 * FILES), line("last", "z", 30_000)
    stream = Stream(None, folder)  # type: ignore[arg-type]
    for piece in cut(chance, shuffled_within(chance, lines, 3), FILES - 1):
        stream.put(piece)
    stream.put([last])
    return World(folder, [*lines, last])


def killed_while_it_works(folder: Path, worlds: list[World], chance: random.Random) -> None:
    """Lets every stream get a micro-batch further, some of them more, and kills at once or a little
    later.
    """
    before = [len(world.delivered()) for world in worlds]
    more = chance.randrange(2 * STREAMS)
    delay = chance.choice([0.0, chance.uniform(0, 1)])
    with driver(folder, files_at_once=1) as process:

        def steps() -> list[int]:
            assert process.poll() is None, errors(folder)
            return [
                len(world.delivered()) - count for world, count in zip(worlds, before, strict=True)
            ]

        wait_until(
            lambda: min(steps()) > 0 and sum(steps()) >= STREAMS + more,
            progress=steps,
            longest_pause=0.02,
        )
        time.sleep(delay)


@contextmanager
def driver(folder: Path, files_at_once: int) -> Iterator[subprocess.Popen[bytes]]:
    """A driver in a process group of its own, Java included; killed at the end, whatever it
    is at.
    """
    with (folder / "errors").open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.spark.shard.driver", str(folder), str(files_at_once)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def errors(folder: Path) -> str:
    return (folder / "errors").read_text()[-3000:]
