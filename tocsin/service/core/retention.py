"""Removal of data beyond their age or size: events that no runner needs, matches and dead letters.
In small chunks, so that other writers need not wait.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.runtime.admission import wall_clock
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.settings.settings import Retention
from tocsin.service.storage.schema import (
    DEAD_LETTERS,
    EVENTS,
    GENERATIONS,
    MATCHES,
    RUNNERS,
    SNAPSHOTS,
    STEPS,
)
from tocsin.values.time import Instant, parse_duration

_LOG = logging.getLogger("tocsin.retention")

PAUSE = 60.0
"""Seconds between two rounds."""

CHUNK = 2_000
"""Rows removed in one transaction."""

RUN_AGAIN = 100_000
"""Events before its position that a runner with its state elsewhere (Spark) may read again."""

_BREATH = 0.05


class RetentionJob:
    """The removal of expired data, round after round by `worker`."""

    def __init__(
        self,
        log: Database,
        state: Database,
        retention: Retention,
        clock: Callable[[], Instant] = wall_clock,
    ) -> None:
        self._log, self._state, self._retention, self._clock = log, state, retention, clock
        self.worker = BackgroundWorker(
            "retention",
            self.remove_old,
            _LOG,
            delay=PAUSE,
            pause=PAUSE,
            first_wait=PAUSE,
            longest_wait=PAUSE,
        )

    def remove_old(self) -> int:
        """Run one round, up to the current chunk if the worker stops; return the number of removed
        rows.
        """
        removed = 0
        for database, table, column, limit in self._limits():
            while not self.worker.is_stopping:
                count = _remove_some(database, table, column, limit)
                removed += count
                if count < CHUNK:
                    break
                self.worker.wait(_BREATH)
        return removed

    def _limits(self) -> Iterator[tuple[Database, sql.Table, str, int]]:
        """Yield each table with the column and the limit below which its rows are removed."""
        kept, now = self._retention, self._clock()
        for table, age in ((MATCHES, kept.matches), (DEAD_LETTERS, kept.dead_letters)):
            if age:
                yield self._state, table, "stored", now - parse_duration(age)
        yield self._log, EVENTS, "position", self._first_kept(now)

    def _first_kept(self, now: Instant) -> int:
        """Return the position of the first event to keep, for age, size and runners that may read
        again.
        """
        limits = [0]
        if self._retention.events:
            limits.append(self._first_since(now - parse_duration(self._retention.events)))
        if self._retention.log_bytes:
            limits.append(self._first_within(self._retention.log_bytes))
        return min(max(limits), self._needed())

    def _first_since(self, instant: Instant) -> int:
        with self._log.reading() as connection:
            first = connection.execute(
                sql.select(sql.func.min(EVENTS.c.position)).where(EVENTS.c.received >= instant)
            ).scalar()
            if first is None:
                last = connection.execute(sql.select(sql.func.max(EVENTS.c.position))).scalar()
                return 0 if last is None else int(last) + 1
        return int(first)

    def _first_within(self, size: int) -> int:
        """Return the position after which the newest events fit into `size` bytes, by the mean size
        of an event; 0 if all fit.
        """
        query = sql.select(
            sql.func.count(),
            sql.func.coalesce(sql.func.sum(sql.func.length(EVENTS.c.body)), 0),
            sql.func.coalesce(sql.func.min(EVENTS.c.position), 0),
        )
        with self._log.reading() as connection:
            count, total, first = connection.execute(query).one()
        if total <= size or not count:
            return 0
        return int(first + count - count * size // total)

    def _needed(self) -> int:
        """Return the first position that a runner may still read.

        It follows the oldest snapshot of a runner. It is 1 for steps from before that snapshot, or
        steps only. Else it is RUN_AGAIN events before the position of the runner, since its last
        batches may be run again.
        """
        with self._state.reading() as connection:
            come = _by_name(connection, RUNNERS.c.name, RUNNERS.c.position)
            first = _by_name(connection, STEPS.c.runner, STEPS.c.number)
            step = _oldest(connection, "step")
            position = _oldest(connection, "position")
        back = {name: reached - RUN_AGAIN for name, reached in come.items()}
        whole = {name for name, number in first.items() if number <= step.get(name, number)}
        reached = back | position | dict.fromkeys(whole, 0)
        return max(0, min(reached.values(), default=0)) + 1


def _oldest(connection: sql.Connection, column: str) -> dict[str, int]:
    """Return a column of the oldest snapshot of each runner."""
    old, new = (
        _by_name(connection, table.c.runner, table.c[column]) for table in (SNAPSHOTS, GENERATIONS)
    )
    return {name: min(each[name] for each in (old, new) if name in each) for name in old | new}


def _by_name(
    connection: sql.Connection, name: sql.Column[Any], position: sql.Column[Any]
) -> dict[str, int]:
    """Return the lowest position for each name."""
    query = sql.select(name, sql.func.min(position)).group_by(name)
    return {each: int(at) for each, at in connection.execute(query)}


def _remove_some(database: Database, table: sql.Table, column: str, limit: int) -> int:
    """Remove the first CHUNK rows below a limit at most; return their number."""
    old = sql.select(table.c.position).where(table.c[column] < limit)
    with database.reading() as connection:
        last = connection.execute(
            sql.select(sql.func.max(sql.column("position"))).select_from(
                old.order_by(table.c.position).limit(CHUNK).subquery()
            )
        ).scalar()
    if last is None:
        return 0
    gone = (table.c[column] < limit) & (table.c.position <= last)
    with database.writing() as connection:
        return connection.execute(table.delete().where(gone)).rowcount
