"""Matches and dead letters: the output of runners, numbered in order, and the queries of tenants.

A match that is stored already is left out. Pages are oldest first; a read for one tenant never
returns those of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.runtime.admission import wall_clock
from tocsin.service.storage.database import insert_rows
from tocsin.service.storage.rows import LetterRow, MatchRow
from tocsin.service.storage.schema import DEAD_LETTERS, MATCHES, RELAYS, SEQUENCES
from tocsin.values.time import Instant

MATCH_SEQUENCE = "matches"
LETTER_SEQUENCE = "dead_letters"
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match to store."""

    id: str
    tenant: str
    subscription: str
    detected: Instant | None
    body: str
    members: str = "[]"
    version: int = 0


@dataclass(frozen=True, slots=True)
class NewLetter:
    """A dead letter to store."""

    tenant: str
    subscription: str | None
    code: str
    reason: str
    input: str
    event: int | None = None


def prepare_sequences(connection: sql.Connection) -> None:
    """Create the sequences that do not exist yet."""
    known = set(connection.execute(sql.select(SEQUENCES.c.name)).scalars())
    for name in {MATCH_SEQUENCE, LETTER_SEQUENCE} - known:
        connection.execute(SEQUENCES.insert().values(name=name, position=0))


def store_matches(
    connection: sql.Connection, matches: Iterable[NewMatch], now: Instant
) -> list[MatchRow]:
    """Store matches in order; return those that are new, with their positions."""
    given = {match.id: match for match in matches}
    if not given:
        return []
    last = take_positions(connection, MATCH_SEQUENCE, 0)
    known = _known(connection, list(given))
    new = [match for match in given.values() if match.id not in known]
    if not new:
        return []
    rows = [
        MatchRow(
            number,
            each.id,
            each.tenant,
            each.subscription,
            each.detected,
            now,
            each.body,
            each.members,
            each.version,
        )
        for number, each in enumerate(new, last + 1)
    ]
    take_positions(connection, MATCH_SEQUENCE, len(rows))
    insert_rows(connection, MATCHES, rows)
    return rows


def store_letters(
    connection: sql.Connection, letters: Sequence[NewLetter], now: Instant
) -> list[LetterRow]:
    """Store dead letters in order; return their rows."""
    if not letters:
        return []
    last = take_positions(connection, LETTER_SEQUENCE, len(letters))
    rows = [
        LetterRow(
            number,
            each.tenant,
            each.subscription,
            each.code,
            each.reason,
            each.input,
            each.event,
            now,
        )
        for number, each in enumerate(letters, last - len(letters) + 1)
    ]
    insert_rows(connection, DEAD_LETTERS, rows)
    return rows


def take_positions(connection: sql.Connection, name: str, count: int) -> int:
    """Take the next `count` positions of a sequence; return the last. Other writers wait for the
    end of the transaction.
    """
    mine = SEQUENCES.c.name == name
    connection.execute(SEQUENCES.update().where(mine).values(position=SEQUENCES.c.position + count))
    return int(connection.execute(sql.select(SEQUENCES.c.position).where(mine)).scalar_one())


def last_position(connection: sql.Connection, name: str) -> int:
    """Return the last position taken of a sequence."""
    query = sql.select(SEQUENCES.c.position).where(SEQUENCES.c.name == name)
    return int(connection.execute(query).scalar_one())


def _known(connection: sql.Connection, ids: list[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(ids), _CHUNK):
        query = sql.select(MATCHES.c.id).where(MATCHES.c.id.in_(ids[start : start + _CHUNK]))
        found.update(connection.execute(query).scalars())
    return found


# Queries of matches.

_MATCH_COLUMNS = tuple(
    MATCHES.c[name]
    for name in (
        "position",
        "id",
        "tenant",
        "subscription",
        "detected",
        "stored",
        "body",
        "members",
        "version",
    )
)


class MatchStore:
    """Queries of matches."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def head(self) -> int:
        """Return the position of the newest match; 0 before the first."""
        with self._database.reading() as connection:
            return last_position(connection, MATCH_SEQUENCE)

    def read(
        self,
        after: int,
        limit: int,
        *,
        tenant: str | None = None,
        subscription: str | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        before: int | None = None,
        version: int | None = None,
        newest: bool = False,
    ) -> list[MatchRow]:
        """Return the first matches after a position or, with `newest`, the last before another;
        oldest first.

        Filters: tenant, subscription, detected from `since` to `until`, and catalog versions from
        `version` on; None for all.
        """
        query = sql.select(*_MATCH_COLUMNS).where(MATCHES.c.position > after)
        if tenant is not None:
            query = query.where(MATCHES.c.tenant == tenant)
        if subscription is not None:
            query = query.where(MATCHES.c.subscription == subscription)
        if since is not None:
            query = query.where(MATCHES.c.detected >= since)
        if until is not None:
            query = query.where(MATCHES.c.detected <= until)
        if before is not None:
            query = query.where(MATCHES.c.position < before)
        if version:
            query = query.where(MATCHES.c.version >= version)
        order = MATCHES.c.position.desc() if newest else MATCHES.c.position
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(order).limit(limit))
            rows = [MatchRow(*row) for row in found]
        return rows[::-1] if newest else rows

    def head_before(self, tenant: str, subscription: str, version: int) -> int:
        """Return the position of the newest match. If a subscription has matched since a version of
        the catalog, return the position before the first of these matches.
        """
        own = MATCHES.c.tenant == tenant, MATCHES.c.subscription == subscription
        older = sql.select(MATCHES.c.position).where(*own, MATCHES.c.version < version)
        with self._database.reading() as connection:
            newest = older.order_by(MATCHES.c.position.desc()).limit(1)
            last = connection.execute(newest).scalar() or 0
            later = sql.select(MATCHES.c.position).where(*own, MATCHES.c.position > last)
            first = connection.execute(later.order_by(MATCHES.c.position).limit(1)).scalar()
            return last_position(connection, MATCH_SEQUENCE) if first is None else int(first) - 1

    def get(self, id: str, tenant: str) -> MatchRow | None:
        """Return a match by its id; None if the tenant does not have it."""
        query = sql.select(*_MATCH_COLUMNS).where(MATCHES.c.id == id, MATCHES.c.tenant == tenant)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else MatchRow(*row)


# Queries of dead letters.

_LETTER_COLUMNS = tuple(
    DEAD_LETTERS.c[column]
    for column in (
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
        query = sql.select(*_LETTER_COLUMNS).where(
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
        query = sql.select(*_LETTER_COLUMNS).where(
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
        query = sql.select(*_LETTER_COLUMNS).where(DEAD_LETTERS.c.position > after)
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
