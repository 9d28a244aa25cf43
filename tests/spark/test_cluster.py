"""Separate executor processes give what one process gives; a task tried again sees the version of
its first attempt.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tests.spark.scenes import expected, random_lines, selector
from tocsin.catalog import Catalog, create_catalog

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return create_catalog(str(tmp_path / "catalog.db"))


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    """Spark as it is installed, in a folder of its own: a local cluster works there, and two must
    not share it.
    """
    installed, home = Path(pyspark.__file__).parent, tmp_path / "spark"
    home.mkdir()
    for name in ("bin", "jars", "python"):
        (home / name).symlink_to(installed / name)
    return home


@pytest.mark.spark
def test_a_cluster_gives_what_the_reference_says(
    tmp_path: Path, catalog: Catalog, spark_home: Path
) -> None:
    lines = random_lines(seed=11, count=100)
    events = tmp_path / "events.jsonl"
    events.write_text("\n".join(lines))
    catalog.add(selector("all"), selector("seven", "ce_id LIKE '%7'"))
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.cluster_job", events, catalog.url],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "SPARK_HOME": str(spark_home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    fixed, _, live = done.stdout.partition("--\n")
    assert fixed.splitlines() == [match.line() for match in expected(lines)]
    bodies = [f'{{"id":"{number}","source":"s","type":"t"}}' for number in range(40)]
    held = [selector("all"), selector("seven", "ce_id LIKE '%7'")]
    assert live.splitlines() == [match.line() for match in expected(bodies, held)]
    added = {each.id for each in catalog.snapshot().subscriptions} - {"all", "seven"}
    assert added == {"added by a task that died"}, "a task did die on the way"
