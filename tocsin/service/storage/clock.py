"""Reset of stored instants that a clock wrote while it was ahead."""

from __future__ import annotations

from tocsin.database.database import Database
from tocsin.service.storage.schema import DEAD_LETTERS, EVENTS, HEADS, MATCHES
from tocsin.values.time import Instant


def set_log_back(database: Database, now: Instant) -> int:
    """Set the log's own instant, and those of its rows, to `now` where they are later; return the
    number of rows.

    The order of the log is that of its positions, which stay.
    """
    with database.writing() as connection:
        connection.execute(HEADS.update().where(HEADS.c.instant > now).values(instant=now))
        later = EVENTS.update().where(EVENTS.c.received > now)
        return connection.execute(later.values(received=now)).rowcount


def set_state_back(database: Database, now: Instant) -> None:
    """Set the instants of matches and dead letters to `now` where they are later: retention would
    keep them until then.
    """
    with database.writing() as connection:
        for table in (MATCHES, DEAD_LETTERS):
            connection.execute(table.update().where(table.c.stored > now).values(stored=now))
