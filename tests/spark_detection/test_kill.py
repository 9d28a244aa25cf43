"""A driver killed with SIGKILL at random points and started again delivers what one that was never killed delivers."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.spark_detection.driver import SUBSCRIPTIONS
from tests.spark_detection.scenes import Stream, cut, line, local, random_lines, shuffled_within

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20 if os.environ.get("TOCSIN_EXAMPLES") == "long" else 2
FILES = 2 * KILLS + 3


def test_a_killed_driver_goes_on_where_it_was(tmp_path: Path) -> None:
    chance = random.Random(3)
    lines = random_lines(chance, 20 * FILES)
    stream = Stream(None, tmp_path)  # type: ignore[arg-type]
    for piece in cut(chance, shuffled_within(chance, lines, 3), FILES - 1):
        stream.put(piece)
    last = line("last", "z", 30_000)
    stream.put([last])
    for number in range(KILLS):
        killed_while_it_works(tmp_path, chance, enough=2 * number + 1)
    done = started(tmp_path)
    assert done.wait(timeout=600) == 0, (tmp_path / "errors").read_text()[-3000:]
    rung = [json.loads(text) for file in (tmp_path / "rung").glob("*.jsonl") for text in file.read_text().splitlines()]
    expected = local(SUBSCRIPTIONS, [*lines, last])
    assert sorted(each["id"] for each in rung) == sorted(each.id for each in expected), "each id once, none missing"
    assert sorted(map(json.dumps, rung)) == sorted(json.dumps(each.as_json()) for each in expected)


def killed_while_it_works(folder: Path, chance: random.Random, enough: int) -> None:
    """Lets the driver get some micro-batches further, then a random while longer, and kills it."""
    driver = started(folder)
    while len(list((folder / "rung").glob("*.jsonl"))) < enough:
        assert driver.poll() is None, (folder / "errors").read_text()[-3000:]
        time.sleep(0.05)
    time.sleep(chance.uniform(0, 3))
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A driver in a process group of its own, Java and Python workers included."""
    with (folder / "errors").open("ab") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.spark_detection.driver", str(folder)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )
