"""The tests by stage: `python -m tests.stages [STAGE ...] [-- PYTEST OPTIONS]`.

Each test belongs to one stage. The stages run one after the other, the cheap ones first, each with
a verdict as soon as it ends; a stage that fails does not keep the next from running. Exit 1 where
one failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
CHECK = "check"
STAGES = ("core", "spark", "service", "browser")

_PLACES = {
    "console": "browser",
    "spark": "spark",
    "service/spark": "spark",
    "connectors/kafka/test_spark.py": "spark",
    "bench": "spark",  # some measure on Spark
    "demo": "spark",
    "service": "service",
    "client": "service",
    "docs": "service",  # the pages start services and Spark sessions
    "connectors/kafka": "service",
    "connectors/mqtt": "service",
}
"""Folders and files of one stage; the longest path decides, all others are core."""


def stage_of(path: PurePath) -> str:
    """Return the stage of a test file or folder, given relative to the tests."""
    for place in (path, *path.parents):
        if (stage := _PLACES.get(place.as_posix())) is not None:
            return stage
    return "core"


def run_stage(stage: str, options: Sequence[str]) -> int:
    """Run one stage; return its exit status."""
    if stage == CHECK:
        return subprocess.run(["make", "check"], cwd=ROOT, check=False).returncode
    command = [sys.executable, "-m", "pytest", "--stage", stage, *options]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def run_stages(
    stages: Sequence[str],
    options: Sequence[str],
    run: Callable[[str, Sequence[str]], int] = run_stage,
) -> int:
    """Run stages in their order and report each; return 1 if one failed."""
    verdicts: list[tuple[str, bool, float]] = []
    for stage in stages:
        print(f"\n=== {stage} ===", flush=True)
        began = time.monotonic()
        status = run(stage, options)
        verdicts.append((stage, status == 0, time.monotonic() - began))
        _report(verdicts[-1:])
    print("\n=== all stages ===")
    _report(verdicts)
    return 0 if all(passed for _, passed, _ in verdicts) else 1


def _report(verdicts: Sequence[tuple[str, bool, float]]) -> None:
    for stage, passed, seconds in verdicts:
        verdict = "passed" if passed else "FAILED"
        print(f"stage {stage:<8} {verdict} after {seconds / 60:.1f} min", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run the stages that are named; all tests where none is."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    stages, options = arguments[:at] or STAGES, arguments[at + 1 :]
    unknown = [each for each in stages if each not in (CHECK, *STAGES)]
    if unknown:
        known = ", ".join((CHECK, *STAGES))
        print(f"{unknown[0]} is not a stage; the stages are {known}", file=sys.stderr)
        return 2
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    return run_stages(stages, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
