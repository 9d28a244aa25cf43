"""The whole demo on Spark, small, as a user calls it: its summary says what the reference and the
stories count.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tocsin_demo.keeping import DEAD_LETTERS, MATCHES
from tocsin_demo.story import Story

from tests.demo.counting import TOLD, expected_of, told_in

TOCSIN = (sys.executable, "-c", "from tocsin.cli.main import run; run()")


def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TOCSIN, "demo", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def count(name: str, text: str) -> int:
    found = re.search(rf"^{name} +([\d,]+)", text, re.MULTILINE)
    assert found, text
    return int(found.group(1).replace(",", ""))


@pytest.mark.spark
def test_the_demo_on_spark_rings_what_the_reference_counts(tmp_path: Path) -> None:
    kept, scratch = tmp_path / "kept", tmp_path / "scratch"
    scratch.mkdir()
    ended = call(
        "--events",
        "2000",
        "--seed",
        "5",
        "--seconds",
        "600",
        "--output",
        str(kept),
        TMPDIR=str(scratch),
    )
    assert ended.returncode == 0, ended.stderr
    expected = expected_of(Story(2_000, seed=5))
    assert count("events", ended.stdout) == expected.events
    assert count("matches", ended.stdout) == expected.rung
    assert count("  of several", ended.stdout) == expected.combined
    assert count("late", ended.stdout) == expected.late
    assert count("dead letters", ended.stdout) == expected.malformed + expected.late
    matches = [json.loads(line) for line in (kept / MATCHES).read_text().splitlines()]
    single = [each for each in matches if each["subscription"] not in TOLD]
    assert sorted((each["subscription"], each["events"][0]) for each in single) == sorted(
        expected.matches
    )
    assert told_in(matches) == expected.told
    letters = [json.loads(line) for line in (kept / DEAD_LETTERS).read_text().splitlines()]
    assert sum(each["reason"] == "late" for each in letters) == expected.late
    assert "+ 08:00 added 'late-parcels'" in ended.stdout
    assert all(f"* {id_} rang" in ended.stdout for id_ in TOLD)
    assert ended.stdout.rstrip().endswith("</settlement>")
    assert [each.name for each in scratch.iterdir() if each.name.startswith("tocsin-demo")] == []


def test_without_java_one_line_says_what_to_do(tmp_path: Path) -> None:
    ended = call("--events", "2000", JAVA_HOME=str(tmp_path))
    assert ended.returncode == 1
    assert ended.stderr.startswith("tocsin: ")
    assert "JAVA_HOME" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_too_few_events_are_wrong_usage() -> None:
    assert call("--events", "3").returncode == 2
