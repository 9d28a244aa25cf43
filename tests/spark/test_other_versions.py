"""One of the other versions of Spark by turns: another one each day, all of them before a release.

In CI it is installed where it is missing, and a failure to install is a failure. Elsewhere it runs
if its environment is there (`scripts/test-ranges spark 4.0` makes it); else it is skipped by name.
"""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tocsin.spark.versions.capabilities import MINORS, support_of

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "TOCSIN_OTHER_SPARK"
"""The environment variable that chooses a version, as in 4.0."""


def chosen(day: int) -> str:
    """The version of a day; those that are newer or older than the one here."""
    others = [each for each in MINORS if each != support_of().spark]
    return "{}.{}".format(*others[day % len(others)])


def test_every_other_version_has_its_day() -> None:
    others = {"{}.{}".format(*each) for each in MINORS if each != support_of().spark}
    assert {chosen(day) for day in range(len(others))} == others


def test_the_version_of_the_day() -> None:
    version = os.environ.get(VARIABLE) or chosen(datetime.now(UTC).toordinal())
    if not os.environ.get("CI") and not (ROOT / f".ranges/spark-{version}/wanted.txt").exists():
        pytest.skip(f"Spark {version} is not installed: scripts/test-ranges spark {version}")
    done = subprocess.run(
        [ROOT / "scripts" / "test-ranges", "spark", version],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"Spark {version}: {(done.stdout + done.stderr)[-5000:]}"
