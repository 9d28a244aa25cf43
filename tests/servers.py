"""Servers that tests need: one per run, which all workers of pytest-xdist use and the last one ends.

A process of its own, `python -m tests.server_guard`, starts a server and waits until nobody uses it.
Every user has a shared lock on a file; the guard waits for the lock of its own, which it gets when
the last user has left or died.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

import pytest

from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[1]
USERS, GUARD, START, ADDRESS = "users.lock", "guard.lock", "start.lock", "address"


class ServerMissingError(Exception):
    """The server cannot be had on this machine."""


def without(message: str) -> NoReturn:
    """Skips the test, or fails it in CI, and says why."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def folder_of_run(factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder that all workers of this run have in common."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@contextmanager
def shared_server(kind: str, run: Path) -> Iterator[str]:
    """Give the address of the server of this run, which is started for the first user; skip where
    there is none.
    """
    folder = run / f"shared-{kind}"
    folder.mkdir(exist_ok=True)
    with lock_file(folder / USERS) as users:
        address = _join(kind, folder, users)
        if address is None:
            without((folder / "missing").read_text())
        yield address
    wait_until(lambda: has_others_or_none(folder))


@contextmanager
def lock_file(path: Path) -> Iterator[IO[str]]:
    """Open a file for locks, which end with it."""
    with path.open("a") as found:
        yield found


def has_lock(file: IO[str], how: int) -> bool:
    """Take a lock if it can be had now."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def has_others_or_none(folder: Path) -> bool:
    """True if others use the server or its guard has ended it."""
    with lock_file(folder / USERS) as users, lock_file(folder / GUARD) as guard:
        if has_lock(guard, fcntl.LOCK_SH):
            return True
        alone = has_lock(users, fcntl.LOCK_EX)  # the guard waits for us, or has not begun to wait
        return not alone and has_lock(users, fcntl.LOCK_SH)


def _join(kind: str, folder: Path, users: IO[str]) -> str | None:
    """Become a user, the first of which starts the server; None if there can be none."""
    with lock_file(folder / START) as start:
        fcntl.flock(start, fcntl.LOCK_EX)
        # A guard that has the lock alone is about to end its server.
        wait_until(lambda: has_lock(users, fcntl.LOCK_SH))
        with lock_file(folder / GUARD) as guard:
            is_guarded = not has_lock(guard, fcntl.LOCK_SH)
        if not is_guarded:
            if (folder / "missing").exists():
                return None
            (folder / ADDRESS).unlink(missing_ok=True)
            _start_guard(kind, folder)
        address = folder / ADDRESS
        return address.read_text() if address.exists() else None


def _start_guard(kind: str, folder: Path) -> None:
    """Start the guard of a server and wait until it has the address or tells why there is none."""
    with (folder / "guard.log").open("ab") as log:
        guard = subprocess.Popen(
            [sys.executable, "-m", "tests.server_guard", kind, str(folder)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the tests; their end is what the guard hears of
        )
    answers = (folder / ADDRESS, folder / "missing")
    wait_until(lambda: any(each.exists() for each in answers) or guard.poll() is not None)
    assert any(each.exists() for each in answers), (folder / "guard.log").read_text()
