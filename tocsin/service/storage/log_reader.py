"""Read-only access to the log: in chunks for other processes, and in pages for requests.

A missing SQLite file is refused: an executor on another machine must not mistake it for an empty
log. Pages have accepted rows only, forwards or backwards from any position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import sqlalchemy as sql
from sqlalchemy.pool import QueuePool

from tocsin.database.database import Access, Database, first_line
from tocsin.database.stores import LOG
from tocsin.errors import StateProblem
from tocsin.service.storage.rows import LogRow
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
        self._database = Database(url, LOG, _ACCESS)

    def bounds(self) -> tuple[int, int]:
        """Return the position before the oldest row, and that of the newest."""
        oldest = sql.select(sql.func.min(EVENTS.c.position))
        newest = sql.select(HEADS.c.position).where(HEADS.c.name == "events")
        with self._database.reading() as connection:
            last = int(connection.execute(newest).scalar() or 0)
            first = connection.execute(oldest).scalar()
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
        with self._database.reading() as connection:
            found = connection.execute(query).all()
        return [
            (bytes(body) if code is None else None, position, received, tenant)
            for body, position, received, tenant, code in found
        ]


@lru_cache(maxsize=8)
def open_log(url: str) -> StoredLog:
    """Return the log behind a URL, cached per process."""
    return StoredLog(url)


def _cannot_read(database: Database, error: Exception) -> StateProblem:
    return StateProblem(
        f"the log {database} cannot be read: {first_line(error)}", code="LogError", hint=_SHARED
    )


def _cannot_open(error: Exception) -> StateProblem:
    return StateProblem(
        f"the log cannot be read: {first_line(error)}", code="LogError", hint=_SHARED
    )


_ACCESS = Access(_cannot_open, _cannot_read, BUSY, pool=QueuePool)


# Pages of accepted rows.

_COLUMNS = (EVENTS.c.position, EVENTS.c.received, EVENTS.c.body, EVENTS.c.tenant)


@dataclass(frozen=True, slots=True)
class Span:
    """Rows after a position and before another, received from `since` to `until`; None for no
    bound.
    """

    after: int = 0
    before: int | None = None
    since: Instant | None = None
    until: Instant | None = None


class Browsing:
    """Queries of stored events, without rows that were refused on arrival."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, span: Span, limit: int, *, newest: bool = False) -> list[LogRow]:
        """Return the first rows of a span or, with `newest`, the last; always oldest first."""
        order = EVENTS.c.position.desc() if newest else EVENTS.c.position
        query = sql.select(*_COLUMNS).where(*_bounds(span)).order_by(order).limit(limit)
        with self._database.reading() as connection:
            rows = [LogRow(*row) for row in connection.execute(query)]
        return rows[::-1] if newest else rows

    def positions_since(self, instants: list[Instant]) -> list[int | None]:
        """Return, for each instant, the first position received at it or later, or None."""
        first = sql.func.min(EVENTS.c.position)
        with self._database.reading() as connection:
            return [
                connection.execute(sql.select(first).where(EVENTS.c.received >= each)).scalar()
                for each in instants
            ]


def _bounds(span: Span) -> list[sql.ColumnElement[bool]]:
    bounds = [EVENTS.c.position > span.after, EVENTS.c.code.is_(None)]
    if span.before is not None:
        bounds.append(EVENTS.c.position < span.before)
    if span.since is not None:
        bounds.append(EVENTS.c.received >= span.since)
    if span.until is not None:
        bounds.append(EVENTS.c.received <= span.until)
    return bounds
