"""The position of a runner with its newest snapshots and the steps since: what it needs to continue
as if it had never stopped.

Snapshots are kept in two generations, each with its checksum. If the newer one is damaged, the
older one and the steps since then give the same state.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.errors import Problem, StateProblem
from tocsin.runtime.admission import wall_clock
from tocsin.service.storage.results import (
    NewLetter,
    NewMatch,
    prepare_sequences,
    store_letters,
    store_matches,
)
from tocsin.service.storage.rows import MatchRow
from tocsin.service.storage.schema import GENERATIONS, RUNNERS, SNAPSHOTS, STEPS, TROUBLES
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
