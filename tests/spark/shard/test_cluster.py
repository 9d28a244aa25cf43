"""Composites on separate executor processes whose Python workers are lost: what the local host
finds, in both ways.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.shard.driver import SUBSCRIPTIONS
from tests.spark.shard.scenes import Stream, cut, line, local, random_lines, shuffled_within
from tests.spark.test_cluster import ROOT, spark_home

__all__ = ["spark_home"]
FILES = 4


@pytest.mark.spark
def test_a_cluster_that_loses_workers_detects_what_the_local_host_detects(
    tmp_path: Path, spark_home: Path
) -> None:
    chance = random.Random(5)
    lines, last = random_lines(chance, 60), line("last", "z", 30_000)
    stream = Stream(None, tmp_path)  # type: ignore[arg-type]
    for piece in cut(chance, shuffled_within(chance, lines, 3), FILES - 1):
        stream.put(piece)
    stream.put([last])
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.shard.cluster_job", tmp_path],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "SPARK_HOME": str(spark_home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    expected = [match.line() for match in local(SUBSCRIPTIONS, [*lines, last])]
    tested, _, streamed = done.stdout.partition("--\n")
    assert tested.splitlines() == expected
    assert sorted(streamed.splitlines()) == sorted(expected)
    assert len(list((tmp_path / "lost").iterdir())) >= FILES, "workers were lost on the way"
