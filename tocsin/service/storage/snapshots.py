"""The snapshots of a runner in two generations, each with its checksum.

If the newer one is damaged, the older one and the steps since then give the same state.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.errors import Problem, StateProblem
from tocsin.service.storage.schema import GENERATIONS, SNAPSHOTS
from tocsin.values.time import Instant

_LOG = logging.getLogger("tocsin.runner")

GENERATIONS_KEPT = 2


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """The state after a step, and its position in the log."""

    step: int
    position: int
    body: bytes


class SnapshotStore:
    """The snapshots of one runner."""

    def __init__(self, database: Database, runner: str) -> None:
        self._database = database
        self._runner = runner
        self.fallbacks = 0

    def newest_whole(self) -> KeptSnapshot | None:
        """Return the newest undamaged snapshot, or None."""
        for step in self._steps():
            snapshot = self._read(step)
            if snapshot is not None:
                return snapshot
            self.fallbacks += 1
            _LOG.error("the snapshot after step %d is damaged; going back to an older one", step)
        return None

    def keep(self, connection: sql.Connection, snapshot: KeptSnapshot, now: Instant) -> int:
        """Add a snapshot, and keep only its predecessor.

        Returns the last step that is not needed any longer, like all before it. It is 0 while this
        is the only snapshot: if that is damaged, all steps give the same state.
        """
        self._take_over_old(connection)
        self._insert(connection, snapshot, now)
        newest = connection.execute(
            sql.select(GENERATIONS.c.step)
            .where(GENERATIONS.c.runner == self._runner)
            .order_by(GENERATIONS.c.step.desc())
            .limit(GENERATIONS_KEPT)
        ).scalars()
        kept = list(newest)
        if len(kept) < GENERATIONS_KEPT:
            return 0
        self._delete(connection, GENERATIONS.c.step < kept[-1])
        return int(kept[-1])

    def replace(self, connection: sql.Connection, snapshot: KeptSnapshot, now: Instant) -> None:
        """Replace all snapshots by one."""
        connection.execute(SNAPSHOTS.delete().where(SNAPSHOTS.c.runner == self._runner))
        self._delete(connection, sql.true())
        self._insert(connection, snapshot, now)

    def _insert(self, connection: sql.Connection, snapshot: KeptSnapshot, now: Instant) -> None:
        self._delete(connection, GENERATIONS.c.step == snapshot.step)
        connection.execute(
            GENERATIONS.insert().values(
                runner=self._runner,
                step=snapshot.step,
                position=snapshot.position,
                taken=now,
                checksum=_checksum(snapshot.body),
                body=snapshot.body,
            )
        )

    def _delete(self, connection: sql.Connection, condition: sql.ColumnElement[bool]) -> None:
        mine = GENERATIONS.c.runner == self._runner
        connection.execute(GENERATIONS.delete().where(mine, condition))

    def _take_over_old(self, connection: sql.Connection) -> None:
        """Move the snapshot that an earlier version stored into the generations."""
        old = SNAPSHOTS
        mine = old.c.runner == self._runner
        query = sql.select(old.c.step, old.c.position, old.c.body, old.c.taken).where(mine)
        for *fields, taken in connection.execute(query).all():
            self._insert(connection, KeptSnapshot(*fields), taken)
            connection.execute(old.delete().where(mine))

    def _steps(self) -> list[int]:
        """Return the steps after which snapshots were taken, the newest first."""
        with self._database.reading() as connection:
            found = {
                step
                for table in (GENERATIONS, SNAPSHOTS)
                for step in connection.execute(
                    sql.select(table.c.step).where(table.c.runner == self._runner)
                ).scalars()
            }
        return sorted(found, reverse=True)

    def _read(self, step: int) -> KeptSnapshot | None:
        """Return the snapshot after a step; None if it is damaged."""
        try:
            with self._database.reading() as connection:
                return next(self._whole(connection, step), None)
        except Problem as problem:
            _LOG.error("%s", problem)
            return None

    def _whole(self, connection: sql.Connection, step: int) -> Iterator[KeptSnapshot]:
        new, old = GENERATIONS.c, SNAPSHOTS.c
        query = sql.select(new.step, new.position, new.body, new.checksum)
        for *fields, checksum in connection.execute(
            query.where(new.runner == self._runner, new.step == step)
        ):
            if _checksum(fields[-1]) == checksum:
                yield KeptSnapshot(*fields)
        query = sql.select(old.step, old.position, old.body)
        for row in connection.execute(query.where(old.runner == self._runner, old.step == step)):
            yield KeptSnapshot(*row)


def make_damage_problem(step: int) -> StateProblem:
    """Return the problem of a state that does not lead to the last step of its runner."""
    return StateProblem(
        f"no snapshot in the state leads to step {step} of the runner",
        code="SnapshotDamaged",
        token="state",
        hint="see what is lost and go on without it: tocsin recover (docs/operations.md)",
    )


def _checksum(body: bytes) -> str:
    return blake2b(body, digest_size=16).hexdigest()
