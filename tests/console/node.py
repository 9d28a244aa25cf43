"""Node and the packages of the console; tests that need them fetch them once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from tests.servers import without

CONSOLE = Path(__file__).resolve().parents[2] / "console"
_MODULES = CONSOLE / "node_modules"
_MINUTES = 10


def run_npm(*arguments: str, **variables: str) -> None:
    """Runs npm in the console's folder; fails with what it said."""
    npm = shutil.which("npm")
    if npm is None:
        without("no npm; tests that build the console need Node")
    done = subprocess.run(
        [npm, *arguments],
        cwd=CONSOLE,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=_MINUTES * 60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def require_modules() -> None:
    """Has the packages of the lock file in place; of processes side by side one fetches them."""
    with (CONSOLE / "package.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not (_MODULES / ".package-lock.json").exists():
            run_npm("ci", "--no-audit", "--no-fund")


def module_file(path: str) -> Path:
    """A file of a package."""
    require_modules()
    return _MODULES / path
