"""One runner at a time: a lock that ends with the process that has it, however that ends.

With SQLite it is a file in the data folder, with PostgreSQL a lock of a session of its own.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import sqlalchemy as sql
from sqlalchemy.pool import NullPool

from tocsin.errors import StateProblem

_KEY = 0x746F6373696E
"""The number of the lock in a PostgreSQL database: "tocsin" in bytes."""


class RunnerLock(Protocol):
    """A lock that one process has at a time."""

    def acquire(self) -> bool:
        """Whether this process has it now; asks, and does not wait."""
        ...

    def is_held(self) -> bool:
        """Whether this process still has it."""
        ...

    def release(self) -> None:
        """Gives it up."""
        ...


def runner_lock(url: str, folder: Path) -> RunnerLock:
    """The lock for those who match the log behind a URL."""
    return FileLock(folder / "runner.lock") if url.startswith("sqlite") else SessionLock(url)


class FileLock:
    """A lock on a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number: int | None = None

    def acquire(self) -> bool:
        """Whether this process has it now."""
        if self._number is not None:
            return True
        self._path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(number)
            return False
        self._number = number
        return True

    def is_held(self) -> bool:
        """Whether this process still has it."""
        return self._number is not None

    def release(self) -> None:
        """Gives it up."""
        if self._number is not None:
            os.close(self._number)
            self._number = None


class SessionLock:
    """A lock of a PostgreSQL session; a session that is lost has lost it."""

    def __init__(self, url: str) -> None:
        self._engine = sql.create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        self._connection: sql.Connection | None = None

    def acquire(self) -> bool:
        """Whether this process has it now."""
        if self.is_held():
            return True
        try:
            connection = self._engine.connect()
            query = sql.select(sql.func.pg_try_advisory_lock(_KEY))
            has = bool(connection.execute(query).scalar())
        except sql.exc.SQLAlchemyError as error:
            reason = str(error).partition("\n")[0]
            raise StateProblem(
                f"the lock cannot be asked for: {reason}", code="StorageError"
            ) from None
        if has:
            self._connection = connection
        else:
            connection.close()
        return has

    def is_held(self) -> bool:
        """Whether this process still has it."""
        if self._connection is None:
            return False
        try:
            self._connection.execute(sql.select(1))
        except sql.exc.SQLAlchemyError:
            self._connection.invalidate()
            self._connection = None
            return False
        return True

    def release(self) -> None:
        """Gives it up, by name: the server notices the end of a session some time after it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sql.exc.SQLAlchemyError):  # the lock went with the session
                connection.execute(sql.select(sql.func.pg_advisory_unlock(_KEY)))
            connection.close()
