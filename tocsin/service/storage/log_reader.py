"""Read-only access to the log for other processes.

A missing SQLite file is refused: an executor on another machine must not mistake it for an empty
log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sql

from tocsin.errors import StateProblem
from tocsin.service.storage.schema import EVENTS, HEADS
from tocsin.values.time import Instant

AT_ONCE = 10_000
"""Positions read at a time."""

BUSY = 10.0

_SHARED = (
    "every process that reads it needs access to the same database: use PostgreSQL on a cluster"
)
_ROW = (EVENTS.c.body, EVENTS.c.position, EVENTS.c.received, EVENTS.c.tenant, EVENTS.c.code)

Row = tuple[bytes | None, int, Instant, str]
"""Text (None if refused), position, receive time, tenant."""


class StoredLog:
    """The log behind a URL, read-only."""

    def __init__(self, url: str) -> None:
        self._name = sql.make_url(url).render_as_string()
        self._engine = _engine(url)

    def bounds(self) -> tuple[int, int]:
        """Return the position before the oldest row, and that of the newest."""
        oldest = sql.select(sql.func.min(EVENTS.c.position))
        newest = sql.select(HEADS.c.position).where(HEADS.c.name == "events")
        try:
            with self._engine.connect() as connection:
                last = int(connection.execute(newest).scalar() or 0)
                first = connection.execute(oldest).scalar()
        except sql.exc.SQLAlchemyError as error:
            raise self._unreadable(error) from None
        return (last if first is None else int(first) - 1), last

    def read(self, after: int, until: int) -> Iterator[list[Row]]:
        """Yield the rows after a position up to another, in order and in chunks."""
        for start in range(after, until, AT_ONCE):
            rows = self._rows(start, min(start + AT_ONCE, until))
            if rows:
                yield rows

    def _rows(self, after: int, until: int) -> list[Row]:
        inside = (EVENTS.c.position > after) & (EVENTS.c.position <= until)
        query = sql.select(*_ROW).where(inside).order_by(EVENTS.c.position)
        try:
            with self._engine.connect() as connection:
                found = connection.execute(query).all()
        except sql.exc.SQLAlchemyError as error:
            raise self._unreadable(error) from None
        return [
            (bytes(body) if code is None else None, position, received, tenant)
            for body, position, received, tenant, code in found
        ]

    def _unreadable(self, error: Exception) -> StateProblem:
        reason = str(error).partition("\n")[0]
        return StateProblem(
            f"the log {self._name} cannot be read: {reason}", code="LogError", hint=_SHARED
        )


@lru_cache(maxsize=8)
def open_log(url: str) -> StoredLog:
    """Return the log behind a URL, cached per process."""
    return StoredLog(url)


def _engine(url: str) -> sql.Engine:
    parsed = sql.make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return sql.create_engine(parsed, pool_pre_ping=True, pool_size=2)
    file = f"file:{quote(str(Path(parsed.database or '').absolute()))}?mode=rw"
    return sql.create_engine(parsed, creator=lambda: _opened(file))


def _opened(file: str) -> sqlite3.Connection:
    return sqlite3.connect(file, uri=True, timeout=BUSY, check_same_thread=False)
