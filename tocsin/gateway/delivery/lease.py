"""Who delivers where several processes share a database: one at a time, and another as soon as it
is gone.
"""

from __future__ import annotations

from contextlib import suppress

import sqlalchemy as sql
from sqlalchemy.pool import NullPool

_LOCK = 0x746F6373696E2001
"""The number by which PostgreSQL knows the lock; any that nobody else uses."""


class Lease:
    """An advisory lock of PostgreSQL, which goes with the connection that took it; of a SQLite file
    there is one process anyway.
    """

    def __init__(self, url: str, lock: int = _LOCK) -> None:
        self._lock = lock
        self._is_alone = url.startswith("sqlite")
        self._engine = None if self._is_alone else sql.create_engine(url, poolclass=NullPool)
        self._connection: sql.Connection | None = None

    def hold(self) -> bool:
        """Whether it is ours, now or still; takes it where nobody has it."""
        if self._engine is None:
            return True
        try:
            return self._is_held() if self._connection else self._take(self._engine)
        except sql.exc.SQLAlchemyError:  # the lock went with the connection
            self.release()
            return False

    def release(self) -> None:
        """Lets another one have it, by name: the server notices the end of a session some time
        after it.
        """
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
