"""Compiled loops: machine code on the disk is not used once a helper or constant has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tocsin.engine.index.kernels import stamp_of, to_python
from tocsin.engine.json_scan.scanner import scan_rows

HELPER = """
from tocsin.engine.index.kernels import inlined

FACTOR = 2

@inlined
def scale(number):
    return number * FACTOR
"""
LOOP = """
import sys
import numpy as np
from helper import scale
from tocsin.engine.index.kernels import compiled

@compiled
def total(numbers):
    found = 0
    for each in numbers:
        found += scale(each)
    return found

print(total(np.array([1, 2, 3])), len(total._dispatcher.stats.cache_hits))
"""


def run(folder: Path) -> list[str]:
    script = [sys.executable, "-c", "import loop"]
    setting = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        script, cwd=folder, env=setting, check=True, capture_output=True, text=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("before", "after", "total"),
    [
        ("FACTOR = 2", "FACTOR = 5", "30"),
        ("number * FACTOR", "number - FACTOR", "0"),
    ],
)
def test_a_changed_helper_or_constant_is_compiled_anew(
    tmp_path: Path, before: str, after: str, total: str
) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "loop.py").write_text(LOOP)
    assert run(tmp_path) == ["12", "0"]
    assert run(tmp_path) == ["12", "1"]  # from the disk
    (tmp_path / "helper.py").write_text(HELPER.replace(before, after))
    assert run(tmp_path) == [total, "0"]


def test_the_stamp_covers_helpers_of_helpers() -> None:
    first = stamp_of(to_python(scan_rows))
    assert first == stamp_of(to_python(scan_rows))
    assert len(first) == 64
