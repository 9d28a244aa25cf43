"""The position of a runner with its newest snapshots and the steps since: what it needs to continue
as if it had never stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.storage.results import (
    NewLetter,
    NewMatch,
    prepare_sequences,
    store_letters,
    store_matches,
)
from tocsin.service.storage.rows import MatchRow
from tocsin.service.storage.schema import RUNNERS, STEPS, TROUBLES
from tocsin.service.storage.snapshots import KeptSnapshot, SnapshotStore, make_damage_problem
from tocsin.values.time import Instant


@dataclass(frozen=True, slots=True)
class RunnerStep:
    """A step of a runner: the rows up to a position, at a time, with a version of the catalog.
    `resumes` is True for the first step after the runner was away.
    """

    number: int
    until: int
    now: Instant
    version: int
    resumes: bool = False


@dataclass(frozen=True, slots=True)
class NewTrouble:
    """A subscription to suspend, and why."""

    subscription: str
    code: str
    reason: str


@dataclass(slots=True)
class RunnerOutput:
    """Everything that a runner stores in one transaction. `recovered` are subscriptions that are no
    longer suspended.
    """

    steps: list[RunnerStep] = field(default_factory=list)
    matches: list[NewMatch] = field(default_factory=list)
    letters: list[NewLetter] = field(default_factory=list)
    troubles: list[NewTrouble] = field(default_factory=list)
    recovered: set[str] = field(default_factory=set)
    snapshot: KeptSnapshot | None = None

    @property
    def is_urgent(self) -> bool:
        """True if a reader waits for it; steps alone may be stored later."""
        return bool(self.matches or self.letters or self.troubles or self.snapshot)


class RunnerStore:
    """The stored progress of one runner."""

    def __init__(self, database: Database, runner: str) -> None:
        self._database = database
        self._runner = runner
        self._snapshots = SnapshotStore(database, runner)
        with database.writing() as connection:
            prepare_sequences(connection)

    @property
    def fallbacks(self) -> int:
        """Number of damaged snapshots that `load` has passed over."""
        return self._snapshots.fallbacks

    def load(self) -> tuple[KeptSnapshot | None, list[RunnerStep]]:
        """Return the newest undamaged snapshot, and the steps after it.

        Raises `SnapshotDamaged` if these do not lead to the last step of the runner.
        """
        snapshot = self._snapshots.newest_whole()
        first = 0 if snapshot is None else snapshot.step
        with self._database.reading() as connection:
            rows = connection.execute(
                sql.select(
                    STEPS.c.number, STEPS.c.until, STEPS.c.now, STEPS.c.version, STEPS.c.resumes
                )
                .where(STEPS.c.runner == self._runner, STEPS.c.number > first)
                .order_by(STEPS.c.number)
            ).all()
            reached = connection.execute(
                sql.select(RUNNERS.c.step).where(RUNNERS.c.name == self._runner)
            ).scalar()
        steps = [RunnerStep(*row) for row in rows]
        if [step.number for step in steps] != list(range(first + 1, (reached or 0) + 1)):
            raise make_damage_problem(reached or 0)
        return snapshot, steps

    def save(self, results: RunnerOutput) -> list[MatchRow]:
        """Store everything or nothing; return the matches that are new."""
        now = wall_clock()
        with self._database.writing() as connection:
            rows = store_matches(connection, results.matches, now)
            store_letters(connection, results.letters, now)
            _note_troubles(connection, results.troubles, results.recovered, now)
            self._keep_steps(connection, results.steps)
            if results.snapshot is not None:
                oldest = self._snapshots.keep(connection, results.snapshot, now)
                self._drop_steps(connection, oldest)
            if results.steps:
                self._move(connection, results.steps[-1], now)
        return rows

    def save_batch(self, batch: RunnerStep, results: RunnerOutput) -> list[MatchRow]:
        """Store a batch of a runner that keeps its own state; return the matches that are new.

        Such a runner may repeat a batch: one that is stored already is left out, with its dead
        letters.
        """
        now = wall_clock()
        with self._database.writing() as connection:
            known = connection.execute(
                sql.select(RUNNERS.c.step).where(RUNNERS.c.name == self._runner)
            ).scalar()
            if known is not None and known >= batch.number:
                return []
            rows = store_matches(connection, results.matches, now)
            store_letters(connection, results.letters, now)
            _note_troubles(connection, results.troubles, results.recovered, now)
            self._move(connection, batch, now)
        return rows

    def position(self) -> int:
        """Return the position of the runner in the log; 0 before its first step."""
        query = sql.select(RUNNERS.c.position).where(RUNNERS.c.name == self._runner)
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar() or 0)

    def newest_snapshot(self) -> KeptSnapshot | None:
        """Return the newest undamaged snapshot, even if the steps after it are damaged."""
        return self._snapshots.newest_whole()

    def last_step(self) -> int:
        """Return the number of the last step; 0 before the first one."""
        query = sql.select(RUNNERS.c.step).where(RUNNERS.c.name == self._runner)
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar() or 0)

    def begin_anew(self, step: RunnerStep, body: bytes) -> None:
        """Replace all snapshots and steps by one snapshot after a step."""
        now = wall_clock()
        with self._database.writing() as connection:
            self._snapshots.replace(connection, KeptSnapshot(step.number, step.until, body), now)
            self._drop_steps(connection, step.number)
            self._move(connection, step, now)

    def _drop_steps(self, connection: sql.Connection, until: int) -> None:
        done = (STEPS.c.runner == self._runner) & (STEPS.c.number <= until)
        connection.execute(STEPS.delete().where(done))

    def _keep_steps(self, connection: sql.Connection, steps: Sequence[RunnerStep]) -> None:
        if steps:
            rows = [
                {
                    "runner": self._runner,
                    "number": each.number,
                    "until": each.until,
                    "now": each.now,
                    "version": each.version,
                    "resumes": each.resumes,
                }
                for each in steps
            ]
            connection.execute(STEPS.insert(), rows)

    def _move(self, connection: sql.Connection, step: RunnerStep, now: Instant) -> None:
        values = {
            "position": step.until,
            "step": step.number,
            "version": step.version,
            "saved": now,
        }
        mine = RUNNERS.c.name == self._runner
        if connection.execute(RUNNERS.update().where(mine).values(**values)).rowcount == 0:
            connection.execute(RUNNERS.insert().values(name=self._runner, **values))


def _note_troubles(
    connection: sql.Connection,
    troubles: Iterable[NewTrouble],
    recovered: Iterable[str],
    now: Instant,
) -> None:
    newest = {each.subscription: each for each in troubles}
    gone = [*recovered, *newest]
    if gone:
        connection.execute(TROUBLES.delete().where(TROUBLES.c.subscription.in_(gone)))
    for each in newest.values():
        connection.execute(
            TROUBLES.insert().values(
                subscription=each.subscription, code=each.code, reason=each.reason, stored=now
            )
        )
