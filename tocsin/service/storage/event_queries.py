"""Pages of accepted rows of the log, forwards or backwards from any position."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.service.storage.rows import LogRow
from tocsin.service.storage.schema import EVENTS
from tocsin.values.time import Instant

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
