"""Runs trials one after the other, each in a process of its own on one core, and keeps the
results.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Result = dict[str, Any]

TRIAL_LIMIT_SECONDS = 1800

_ONE_CORE = {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
_LIBRARIES = ("numpy", "numba", "pyarrow", "pyspark", "tocsin")


def run_module(
    module: str, request: Mapping[str, Any], environment: Mapping[str, str] = _ONE_CORE
) -> Result:
    """The answer of a module that reads JSON and writes JSON; where it dies, the reason in place of
    figures.
    """
    try:
        answer = subprocess.run(
            [sys.executable, "-m", module],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            check=False,
            timeout=TRIAL_LIMIT_SECONDS,
            env={**os.environ, **environment},
        )
    except subprocess.TimeoutExpired:
        return {"trial": dict(request), "refused": f"stopped after {TRIAL_LIMIT_SECONDS:,} s"}
    if answer.returncode != 0:
        return {"trial": dict(request), "refused": _reason(answer)}
    # libraries may have written lines before it
    result: Result = json.loads(answer.stdout.rpartition("\n")[2])
    return result


def about_machine() -> dict[str, Any]:
    """Where and when the run was made."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "libraries": {name: found for name in _LIBRARIES if (found := _version(name))},
    }


def _reason(answer: subprocess.CompletedProcess[str]) -> str:
    if answer.returncode < 0:
        return f"ended by signal {-answer.returncode}, which for 9 most often means out of memory"
    said = answer.stderr.strip().rpartition("\n")[2]
    return f"failed: {said}"


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
