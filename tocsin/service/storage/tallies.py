"""How many matches and dead letters there are: by tenant, by subscription, by minute."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.service.storage.database import Database
from tocsin.service.storage.results import LETTER_SEQUENCE, MATCH_SEQUENCE, last_position
from tocsin.service.storage.schema import DEAD_LETTERS, MATCHES
from tocsin.values.time import Instant

MINUTE = 60_000_000
"""Microseconds."""

_LENGTH = sql.literal_column(str(MINUTE), sql.BigInteger)
_MATCH_MINUTE = MATCHES.c.stored // _LENGTH
_LETTER_MINUTE = DEAD_LETTERS.c.stored // _LENGTH


@dataclass(frozen=True, slots=True)
class MatchTally:
    """So many matches of a subscription were kept in a minute; minutes count from 1970."""

    tenant: str
    subscription: str
    minute: int
    count: int


@dataclass(frozen=True, slots=True)
class LetterTally:
    """So many dead letters of a tenant with a code were kept in a minute."""

    tenant: str
    code: str
    minute: int
    count: int


class Tallies:
    """Counts of what is kept."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def heads(self) -> tuple[int, int]:
        """The positions of the newest match and of the newest dead letter."""
        with self._database.reading() as connection:
            return (
                last_position(connection, MATCH_SEQUENCE),
                last_position(connection, LETTER_SEQUENCE),
            )

    def matches(self, after: int, until: int, since: Instant = 0) -> list[MatchTally]:
        """The matches after a position up to another, kept at an instant or later."""
        by = (MATCHES.c.tenant, MATCHES.c.subscription, _MATCH_MINUTE)
        inside = (
            MATCHES.c.position > after,
            MATCHES.c.position <= until,
            MATCHES.c.stored >= since,
        )
        query = sql.select(*by, sql.func.count()).where(*inside).group_by(*by)
        with self._database.reading() as connection:
            return [MatchTally(*row) for row in connection.execute(query)]

    def all_matches(self, until: int) -> dict[tuple[str, str], int]:
        """How many matches up to a position are kept of each subscription."""
        by = (MATCHES.c.tenant, MATCHES.c.subscription)
        query = sql.select(*by, sql.func.count()).where(MATCHES.c.position <= until).group_by(*by)
        with self._database.reading() as connection:
            return {(tenant, own): count for tenant, own, count in connection.execute(query)}

    def letters(self, after: int, until: int, since: Instant = 0) -> list[LetterTally]:
        """The dead letters after a position up to another, kept at an instant or later."""
        by = (DEAD_LETTERS.c.tenant, DEAD_LETTERS.c.code, _LETTER_MINUTE)
        inside = (
            DEAD_LETTERS.c.position > after,
            DEAD_LETTERS.c.position <= until,
            DEAD_LETTERS.c.stored >= since,
        )
        query = sql.select(*by, sql.func.count()).where(*inside).group_by(*by)
        with self._database.reading() as connection:
            return [LetterTally(*row) for row in connection.execute(query)]

    def events_with(self, code: str, after: int, until: int) -> list[int]:
        """The positions in the log of events that the letters after a position up to another are
        about.
        """
        query = sql.select(DEAD_LETTERS.c.event).where(
            DEAD_LETTERS.c.position > after,
            DEAD_LETTERS.c.position <= until,
            DEAD_LETTERS.c.code == code,
            DEAD_LETTERS.c.event.is_not(None),
        )
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())
