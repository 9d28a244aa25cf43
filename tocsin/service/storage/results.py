"""The output of runners: matches and dead letters, numbered in order. A match that is stored
already is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.service.storage.bulk_insert import insert_rows
from tocsin.service.storage.rows import LetterRow, MatchRow
from tocsin.service.storage.schema import DEAD_LETTERS, MATCHES, SEQUENCES
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
