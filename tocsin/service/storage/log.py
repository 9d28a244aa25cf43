"""The log of events: accepted events are on disk, in one order, until retention removes them.

One thread writes everything queued in one transaction, so that many publishers share one wait for
the disk. The newest rows stay in memory for readers near the head. Offsets of external sources are
stored in the transaction that appends their records: each record is in the log exactly once, even
after a crash.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.errors import LimitProblem, Problem, StateProblem
from tocsin.runtime.admission import wall_clock
from tocsin.service.storage.database import insert_rows
from tocsin.service.storage.rows import LogRow, NewRow
from tocsin.service.storage.schema import EVENTS, HEADS, INTAKE
from tocsin.values.time import Instant

MOVED = "IntakeMoved"


@dataclass(frozen=True, slots=True)
class OffsetUpdate:
    """The offset of a part of a source moves from one position to the next; `before` is None at
    first.
    """

    name: str
    part: str
    before: int | None
    after: int


def stored_position(database: Database, name: str, part: str) -> int | None:
    """Return the next position to read from a part of a source; None at first."""
    with database.reading() as connection:
        found = connection.execute(_query(name, part)).scalar()
    return None if found is None else int(found)


def update_offsets(connection: sql.Connection, moves: Iterable[OffsetUpdate]) -> None:
    """Store new offsets; raise StateProblem `IntakeMoved` if one is not at its `before`.

    The caller has locked the row of the log's head, so that no other process moves an offset
    meanwhile.
    """
    for move in moves:
        found = connection.execute(_query(move.name, move.part)).scalar()
        if found != move.before:
            raise StateProblem(
                f"{move.name} {move.part} is at {found}, not at {move.before}",
                code=MOVED,
                token=move.name,
                hint="another process reads it too: go on from where it is",
            )
        if found is None:
            values = {"name": move.name, "part": move.part, "position": move.after}
            connection.execute(INTAKE.insert().values(**values))
        else:
            connection.execute(
                INTAKE.update().where(_mine(move.name, move.part)).values(position=move.after)
            )


def _query(name: str, part: str) -> sql.Select[Any]:
    return sql.select(INTAKE.c.position).where(_mine(name, part))


def _mine(name: str, part: str) -> sql.ColumnElement[bool]:
    return (INTAKE.c.name == name) & (INTAKE.c.part == part)


_NAME = "events"
_COLUMNS = (
    EVENTS.c.position,
    EVENTS.c.received,
    EVENTS.c.body,
    EVENTS.c.tenant,
    EVENTS.c.code,
    EVENTS.c.reason,
)

MAX_QUEUED_BYTES = 64 << 20
"""Bytes that may be queued for writing; further appends are refused."""

MAX_ROWS_PER_WRITE = 20_000
"""Rows after which a transaction takes no further appends."""

TAIL = 10_000
"""Newest rows kept in memory."""


@dataclass(frozen=True, slots=True)
class _Append:
    rows: Sequence[NewRow]
    size: int
    done: Future[int]
    moves: Sequence[OffsetUpdate] = ()


class EventLog:
    """The log in a database. `start` begins to write; `close` writes the queue and stops."""

    def __init__(self, database: Database) -> None:
        self._database = database
        lock = threading.RLock()
        self._changed, self._given = threading.Condition(lock), threading.Condition(lock)
        self._waiting: deque[_Append] = deque()
        self._waiting_bytes = 0
        self._tail: deque[LogRow] = deque(maxlen=TAIL)
        self._writing_since: Instant | None = None
        self._is_closed = False
        self._head, self._newest = self._prepared()
        self._thread = threading.Thread(target=self._run, name="tocsin-log", daemon=True)

    def start(self) -> None:
        """Start the writing thread."""
        self._thread.start()

    def close(self) -> None:
        """Write the queue, refuse further appends, and stop the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            self._given.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def head(self) -> int:
        """Position of the newest row known to this process; 0 if the log is empty."""
        return self._head

    def stored_head(self) -> int:
        """Return the position of the newest row that any process has written."""
        return self._stored_head()[0]

    def append(self, rows: Sequence[NewRow], moves: Sequence[OffsetUpdate] = ()) -> Future[int]:
        """Queue rows for writing; return a future of the last position, done when they are on disk.

        `moves` are the offsets of an external source after these rows: both are stored or neither.
        If another process has moved an offset, neither is, and the future raises `IntakeMoved`.
        Raises LimitProblem if too many bytes are queued, StateProblem if the log is closed.
        """
        size = sum(len(row.body) for row in rows)
        given = _Append(rows, size, Future(), moves)
        with self._changed:
            if self._is_closed:
                raise StateProblem(
                    "the service is stopping", code="Stopping", hint="try again in a while"
                )
            if self._waiting and self._waiting_bytes + size > MAX_QUEUED_BYTES:
                raise LimitProblem(
                    "more waits to be written than may",
                    code="LogBusy",
                    hint="publish more slowly: try again in a second",
                )
            self._waiting.append(given)
            self._waiting_bytes += size
            self._given.notify()
        return given.done

    def wait_beyond(self, position: int, timeout: float | None) -> bool:
        """Wait for rows after a position; True if there are such rows. Ends without them on `nudge`
        and after `timeout` seconds.
        """
        with self._changed:
            if self._head <= position and not self._is_closed:
                self._changed.wait(timeout)
            return self._head > position

    def nudge(self) -> None:
        """Wake waiting readers without a new row."""
        with self._changed:
            self._changed.notify_all()

    def quiet_until(self, position: int) -> Instant | None:
        """Return a lower bound of the receive times of all rows after a position, written or not;
        None if there is such a row already.
        """
        with self._changed:
            if self._head > position:
                return None
            return wall_clock() if self._writing_since is None else self._writing_since

    def read(self, after: int, limit: int) -> list[LogRow]:
        """Return the first rows after a position, from memory if they are there."""
        with self._changed:
            tail = self._tail
            if tail and tail[0].position <= after + 1:
                start = after + 1 - tail[0].position
                return list(islice(tail, start, start + limit))
        return self.read_stored(after, limit)

    def read_stored(self, after: int, limit: int, until: int | None = None) -> list[LogRow]:
        """Return the first rows after a position from disk, up to `until` if it is given."""
        query = sql.select(*_COLUMNS).where(EVENTS.c.position > after)
        if until is not None:
            query = query.where(EVENTS.c.position <= until)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(EVENTS.c.position).limit(limit))
            return [LogRow(*row) for row in rows]

    def rows_at(self, positions: Sequence[int]) -> dict[int, LogRow]:
        """Return the rows at some positions; removed ones are missing."""
        query = sql.select(*_COLUMNS).where(EVENTS.c.position.in_(positions))
        with self._database.reading() as connection:
            return {row[0]: LogRow(*row) for row in connection.execute(query)}

    def first_since(self, instant: Instant) -> int:
        """Return the position before the first row received at an instant or later; the head if no
        row is.
        """
        query = sql.select(sql.func.min(EVENTS.c.position)).where(EVENTS.c.received >= instant)
        with self._database.reading() as connection:
            first = connection.execute(query).scalar()
        return self._head if first is None else int(first) - 1

    def look_for_others(self) -> None:
        """Notice rows that other processes have appended."""
        head, instant = self._stored_head()
        with self._changed:
            if head > self._head:
                self._head, self._newest = head, max(instant, self._newest)
                self._tail.clear()
                self._changed.notify_all()

    def _prepared(self) -> tuple[int, Instant]:
        with self._database.writing() as connection:
            if connection.execute(sql.select(HEADS).where(HEADS.c.name == _NAME)).first() is None:
                connection.execute(HEADS.insert().values(name=_NAME, position=0, instant=0))
        return self._stored_head()

    def _stored_head(self) -> tuple[int, Instant]:
        query = sql.select(HEADS.c.position, HEADS.c.instant).where(HEADS.c.name == _NAME)
        with self._database.reading() as connection:
            position, instant = connection.execute(query).one()
        return position, instant

    def _run(self) -> None:
        while batch := self._take():
            try:
                rows = self._written(batch)
            except Problem as problem:
                self._finish(())
                for each in batch:
                    each.done.set_exception(problem)
            except Exception as error:
                self._finish(())
                for each in batch:
                    each.done.set_exception(error)
            else:
                self._finish(rows)
                self._resolve(batch, rows[-1].position if rows else self._head)

    def _take(self) -> list[_Append]:
        """Return queued appends for one transaction, waiting for the first; empty when the log is
        closed.
        """
        taken: list[_Append] = []
        count = 0
        with self._changed:
            while not self._waiting and not self._is_closed:
                self._given.wait()
            while self._waiting and count < MAX_ROWS_PER_WRITE:
                each = self._waiting.popleft()
                self._waiting_bytes -= each.size
                count += len(each.rows)
                taken.append(each)
            if taken:
                self._writing_since = max(wall_clock(), self._newest)
        return taken

    def _written(self, batch: list[_Append]) -> list[LogRow]:
        """Write a batch; appends whose offset another process has moved fail and leave it."""
        while batch:
            try:
                return self._write(batch)
            except _Moved as moved:
                batch.remove(moved.append)
                moved.append.done.set_exception(moved.problem)
        return []

    def _write(self, batch: Sequence[_Append]) -> list[LogRow]:
        count = sum(len(each.rows) for each in batch)
        with self._database.writing() as connection:
            first, received = _advance(connection, count, wall_clock())
            for each in batch:
                _move(connection, each)
            rows = list(_numbered(batch, first, received))
            if rows:
                insert_rows(connection, EVENTS, rows)
        return rows

    def _finish(self, rows: Sequence[LogRow]) -> None:
        with self._changed:
            self._writing_since = None
            if rows:
                if self._tail and self._tail[-1].position + 1 != rows[0].position:
                    self._tail.clear()
                self._tail.extend(rows)
                self._head, self._newest = rows[-1].position, rows[-1].received
            self._changed.notify_all()

    @staticmethod
    def _resolve(batch: Sequence[_Append], last: int) -> None:
        position = last - sum(len(each.rows) for each in batch)
        for each in batch:
            position += len(each.rows)
            each.done.set_result(position)


class _Moved(Exception):
    """Raised when an offset is not where an append expects it; holds the append and its problem."""

    def __init__(self, append: _Append, problem: Problem) -> None:
        super().__init__(str(problem))
        self.append, self.problem = append, problem


def _move(connection: sql.Connection, append: _Append) -> None:
    try:
        update_offsets(connection, append.moves)
    except StateProblem as problem:
        if problem.code != MOVED:
            raise
        raise _Moved(append, problem) from None


def _advance(connection: sql.Connection, count: int, now: Instant) -> tuple[int, Instant]:
    """Take the next positions; return the first and the receive time. Time never goes back in the
    log, whatever the clocks say.
    """
    mine = HEADS.c.name == _NAME
    connection.execute(HEADS.update().where(mine).values(position=HEADS.c.position + count))
    row = connection.execute(sql.select(HEADS.c.position, HEADS.c.instant).where(mine)).one()
    received = max(now, row.instant)
    connection.execute(HEADS.update().where(mine).values(instant=received))
    return row.position - count + 1, received


def _numbered(batch: Sequence[_Append], first: int, received: Instant) -> Iterator[LogRow]:
    rows = (row for each in batch for row in each.rows)
    for position, row in enumerate(rows, first):
        yield LogRow(position, received, row.body, row.tenant, row.code, row.reason, row.events)
