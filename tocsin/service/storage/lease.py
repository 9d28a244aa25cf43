"""The lease of the one process that works where several share a database; another takes over as
soon as it is gone.
"""

from __future__ import annotations

from contextlib import suppress

import sqlalchemy as sql
from sqlalchemy.pool import NullPool

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
