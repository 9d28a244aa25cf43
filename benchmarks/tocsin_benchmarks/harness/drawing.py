"""Plots of benchmarks: drawn by a process of its own; who wants none needs no matplotlib."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path


def draw(module: str, results: Path, target: Path) -> str:
    """Runs the module over the results; the path of the picture, or why there is none."""
    if find_spec("matplotlib") is None:
        return "no plot: matplotlib is not installed; pip install matplotlib adds it"
    command = [sys.executable, "-m", module, str(results), str(target)]
    drawn = subprocess.run(command, capture_output=True, text=True, check=False)
    if drawn.returncode == 0:
        return str(target)
    return f"no plot: {drawn.stderr.strip().rpartition(chr(10))[2]}"
