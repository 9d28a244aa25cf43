"""Stored dead letters; a read for one tenant never returns those of another."""

from __future__ import annotations

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.runtime.admission import wall_clock
from tocsin.service.storage.results import NewLetter, store_letters
from tocsin.service.storage.rows import LetterRow
from tocsin.service.storage.schema import DEAD_LETTERS, RELAYS

_COLUMNS = tuple(
    DEAD_LETTERS.c[name]
    for name in (
        "position",
        "tenant",
        "subscription",
        "code",
        "reason",
        "input",
        "event",
        "stored",
        "replayed",
    )
)


class LetterStore:
    """Queries of dead letters, and the letters of components other than runners."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, letters: list[NewLetter]) -> list[LetterRow]:
        """Store letters of a component that is not a runner; return their rows."""
        with self._database.writing() as connection:
            return store_letters(connection, letters, wall_clock())

    def read(
        self,
        after: int,
        limit: int,
        tenant: str,
        *,
        subscription: str | None = None,
        code: str | None = None,
        before: int | None = None,
        newest: bool = False,
    ) -> list[LetterRow]:
        """Return the first letters after a position or, with `newest`, the last before another;
        oldest first.
        """
        query = sql.select(*_COLUMNS).where(
            DEAD_LETTERS.c.position > after, DEAD_LETTERS.c.tenant == tenant
        )
        if subscription is not None:
            query = query.where(DEAD_LETTERS.c.subscription == subscription)
        if code is not None:
            query = query.where(DEAD_LETTERS.c.code == code)
        if before is not None:
            query = query.where(DEAD_LETTERS.c.position < before)
        order = DEAD_LETTERS.c.position.desc() if newest else DEAD_LETTERS.c.position
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(order).limit(limit))
            rows = [LetterRow(*row) for row in found]
        return rows[::-1] if newest else rows

    def get(self, position: int, tenant: str) -> LetterRow | None:
        """Return a letter by its position; None if the tenant does not have it."""
        query = sql.select(*_COLUMNS).where(
            DEAD_LETTERS.c.position == position, DEAD_LETTERS.c.tenant == tenant
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else LetterRow(*row)

    def mark_replayed(self, position: int) -> None:
        """Note that a letter was replayed now."""
        with self._database.writing() as connection:
            connection.execute(
                DEAD_LETTERS.update()
                .where(DEAD_LETTERS.c.position == position)
                .values(replayed=wall_clock())
            )

    def read_all(self, after: int, limit: int) -> list[LetterRow]:
        """Return the first letters after a position, of all tenants."""
        query = sql.select(*_COLUMNS).where(DEAD_LETTERS.c.position > after)
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(DEAD_LETTERS.c.position).limit(limit))
            return [LetterRow(*row) for row in found]

    def passed_on(self, name: str) -> int:
        """Return the position up to which letters were relayed under a name; 0 at first."""
        query = sql.select(RELAYS.c.position).where(RELAYS.c.name == name)
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar() or 0)

    def note_passed_on(self, name: str, position: int) -> None:
        """Store the position up to which letters were relayed under a name."""
        with self._database.writing() as connection:
            mine = RELAYS.update().where(RELAYS.c.name == name)
            if connection.execute(mine.values(position=position)).rowcount == 0:
                connection.execute(RELAYS.insert().values(name=name, position=position))
