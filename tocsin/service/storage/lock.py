"""The lock of the single runner, and the lease of the one process that does a background task.

The lock ends with the process that holds it, even after a crash. With SQLite it is a file in the
data folder, with PostgreSQL an advisory lock of its own session. The lease is for processes that
share a database; another takes over as soon as the holder is gone.
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
"""Number of the advisory lock in a PostgreSQL database: "tocsin" in bytes."""


class RunnerLock(Protocol):
    """A lock that one process holds at a time."""

    def acquire(self) -> bool:
        """Try to take the lock without waiting; True if this process holds it."""
        ...

    def is_held(self) -> bool:
        """True if this process still holds the lock."""
        ...

    def release(self) -> None:
        """Release the lock."""
        ...


def runner_lock(url: str, folder: Path) -> RunnerLock:
    """Return the lock for runners of the log behind a URL."""
    return FileLock(folder / "runner.lock") if url.startswith("sqlite") else SessionLock(url)


class FileLock:
    """A lock on a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number: int | None = None

    def acquire(self) -> bool:
        """Try to take the lock without waiting; True if this process holds it."""
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
        """True if this process still holds the lock."""
        return self._number is not None

    def release(self) -> None:
        """Release the lock, if it is held."""
        if self._number is not None:
            os.close(self._number)
            self._number = None


class SessionLock:
    """An advisory lock of a PostgreSQL session; it is lost with the session."""

    def __init__(self, url: str) -> None:
        self._engine = sql.create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        self._connection: sql.Connection | None = None

    def acquire(self) -> bool:
        """Try to take the lock without waiting; True if this process holds it. Raises StateProblem
        without a connection.
        """
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
        """True if this process still holds the lock; asks the server."""
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
        """Release the lock explicitly: the server notices the end of a session only later."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sql.exc.SQLAlchemyError):  # the lock went with the session
                connection.execute(sql.select(sql.func.pg_advisory_unlock(_KEY)))
            connection.close()


# The lease.

_LOCK = 0x746F6373696E2001
"""Number of the advisory lock in PostgreSQL; any number that is not used elsewhere."""


class Lease:
    """An advisory lock of PostgreSQL, held by a connection. A SQLite file has only one process
    anyway.
    """

    def __init__(self, url: str, lock: int = _LOCK) -> None:
        self._lock = lock
        self._is_alone = url.startswith("sqlite")
        self._engine = None if self._is_alone else sql.create_engine(url, poolclass=NullPool)
        self._connection: sql.Connection | None = None

    def hold(self) -> bool:
        """Take the lease if it is free; True if this process holds it."""
        if self._engine is None:
            return True
        try:
            return self._is_held() if self._connection else self._take(self._engine)
        except sql.exc.SQLAlchemyError:  # the lock went with the connection
            self.release()
            return False

    def release(self) -> None:
        """Release the lease by name: the server notices the end of a session only later."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sql.exc.SQLAlchemyError):  # the lock went with the session
                connection.execute(sql.select(sql.func.pg_advisory_unlock(self._lock)))
            connection.invalidate()
            connection.close()

    def _take(self, engine: sql.Engine) -> bool:
        connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            taken = connection.execute(
                sql.select(sql.func.pg_try_advisory_lock(self._lock))
            ).scalar()
        except sql.exc.SQLAlchemyError:
            connection.close()
            raise
        if not taken:
            connection.close()
            return False
        self._connection = connection
        return True

    def _is_held(self) -> bool:
        assert self._connection is not None
        self._connection.execute(sql.text("SELECT 1"))
        return True
