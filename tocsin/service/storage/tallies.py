"""Counts of stored matches and dead letters, by tenant, subscription or code, and minute.

Late events are found by their dead letters, too.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.service.storage.results import LETTER_SEQUENCE, MATCH_SEQUENCE, last_position
from tocsin.service.storage.schema import DEAD_LETTERS, MATCHES
from tocsin.values.time import Instant

MINUTE = 60_000_000
"""Length of a minute in microseconds."""

_LENGTH = sql.literal_column(str(MINUTE), sql.BigInteger)
_MATCH_MINUTE = MATCHES.c.stored // _LENGTH
_LETTER_MINUTE = DEAD_LETTERS.c.stored // _LENGTH


@dataclass(frozen=True, slots=True)
class MatchTally:
    """The matches of a subscription stored in one minute; minutes count from 1970."""

    tenant: str
    subscription: str
    minute: int
    count: int


@dataclass(frozen=True, slots=True)
class LetterTally:
    """The dead letters of a tenant with one code stored in one minute."""

    tenant: str
    code: str
    minute: int
    count: int


class Tallies:
    """Count queries."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def heads(self) -> tuple[int, int]:
        """Return the positions of the newest match and of the newest dead letter."""
        with self._database.reading() as connection:
            return (
                last_position(connection, MATCH_SEQUENCE),
                last_position(connection, LETTER_SEQUENCE),
            )

    def matches(self, after: int, until: int, since: Instant = 0) -> list[MatchTally]:
        """Count the matches from a position to another, stored at an instant or later."""
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
        """Return the number of stored matches up to a position, by subscription."""
        by = (MATCHES.c.tenant, MATCHES.c.subscription)
        query = sql.select(*by, sql.func.count()).where(MATCHES.c.position <= until).group_by(*by)
        with self._database.reading() as connection:
            return {(tenant, own): count for tenant, own, count in connection.execute(query)}

    def letters(self, after: int, until: int, since: Instant = 0) -> list[LetterTally]:
        """Count the dead letters from a position to another, stored at an instant or later."""
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
        """Return the log positions of events of dead letters with a code, from a position to
        another.
        """
        query = sql.select(DEAD_LETTERS.c.event).where(
            DEAD_LETTERS.c.position > after,
            DEAD_LETTERS.c.position <= until,
            DEAD_LETTERS.c.code == code,
            DEAD_LETTERS.c.event.is_not(None),
        )
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())


LATE = "LateEvent"
"""Code of the dead letter of an event behind the watermark."""

LETTERS = 50_000
"""Newest dead letters examined at first, and late events remembered."""


class LateEvents:
    """The positions of late events, updated from new dead letters."""

    def __init__(self, tallies: Tallies) -> None:
        self._tallies = tallies
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._order: deque[int] = deque()
        self._positions: set[int] = set()

    def refreshed(self) -> set[int]:
        """Return the positions of known late events; not to be modified."""
        with self._lock:
            head = self._tallies.heads()[1]
            seen = max(0, head - LETTERS) if self._seen is None else self._seen
            if head > seen:
                self._note(self._tallies.events_with(LATE, seen, head))
            self._seen = head
            return self._positions

    def _note(self, found: list[int]) -> None:
        new = [each for each in found if each not in self._positions]
        self._order.extend(new)
        gone = [self._order.popleft() for _ in range(len(self._order) - LETTERS)]
        self._positions = (self._positions | set(new)) - set(gone)
