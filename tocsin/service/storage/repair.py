"""Repair of stores: positions raised, readable rows copied, instants set back.

After a loss of data, positions are raised above every one that was ever seen. A damaged SQLite file
stays beside its copy. Each table is read from its first row to the first unreadable page, then
backwards from its last row: one damaged page costs the rows on it. Instants that a clock wrote
while it was ahead are reset.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from tocsin.database.database import Database
from tocsin.runtime.admission import wall_clock
from tocsin.service.storage.marks import Mark
from tocsin.service.storage.positions import Positions
from tocsin.service.storage.results import LETTER_SEQUENCE, MATCH_SEQUENCE, prepare_sequences
from tocsin.service.storage.schema import DEAD_LETTERS, EVENTS, HEADS, MATCHES, SEQUENCES
from tocsin.values.time import Instant

LOST = "LogLost"
"""Code of the row, and so of the dead letter, that stands for lost events."""

_HEAD = HEADS.c.name == "events"


@dataclass(frozen=True, slots=True)
class Floors:
    """The highest positions that any store or mark knows of."""

    events: int
    matches: int
    dead_letters: int
    version: int
    runner: int | None
    number: int


def find_floors(found: Positions, marks: Mapping[str, Mark]) -> Floors:
    """Return the highest positions of stores and their marks.

    `runner` is None where neither the state nor its mark knows the position of the runner.
    """
    state, log = found["state"], found["log"]
    heads = {store: mark.heads for store, mark in marks.items()}
    of_state, of_epcis = heads.get("state", {}), heads.get("epcis", {})
    runner = max(state["runner"], of_state.get("runner", 0))
    catalog = marks["catalog"].writes if "catalog" in marks else 0
    return Floors(
        events=max(
            *(log["newest event"], log["events"], heads.get("log", {}).get("events", 0)),
            *(runner, state["step"], state["snapshot"], found["spark"]["position"]),
            *(found["epcis"]["position"], of_epcis.get("position", 0)),
        ),
        matches=max(
            *(state["matches"], state["newest match"], of_state.get("matches", 0)),
            found["delivery"]["position"],
        ),
        dead_letters=max(
            *(state["dead_letters"], state["newest letter"], of_state.get("dead_letters", 0)),
            state["relay"],
        ),
        version=max(
            *(found["catalog"]["version"], catalog, of_state.get("version", 0)),
            *(state["version"], state["step version"]),
        ),
        runner=runner or (0 if "runner" in of_state else None),
        number=max(found["epcis"]["number"], of_epcis.get("number", 0)),
    )


def raise_log(database: Database, floor: int, reason: str) -> int:
    """Continue the log after a position; return the position of the row that stands for the loss.

    Every reader passes that row, and the runner makes a dead letter of it.
    """
    with database.writing() as connection:
        row = connection.execute(sql.select(HEADS.c.position, HEADS.c.instant).where(_HEAD)).first()
        head, instant = (0, 0) if row is None else (row.position, row.instant)
        position, received = max(head, floor) + 1, max(instant, wall_clock())
        values = {"position": position, "instant": received}
        if row is None:
            connection.execute(HEADS.insert().values(name="events", **values))
        else:
            connection.execute(HEADS.update().where(_HEAD).values(**values))
        connection.execute(
            EVENTS.insert().values(
                position=position,
                received=received,
                tenant="",
                body=b"{}",
                code=LOST,
                reason=reason,
            )
        )
    return position


def raise_sequences(database: Database, matches: int, dead_letters: int) -> None:
    """Continue the positions of matches and dead letters after these; never lower them."""
    floors = {MATCH_SEQUENCE: matches, LETTER_SEQUENCE: dead_letters}
    with database.writing() as connection:
        prepare_sequences(connection)
        for name, floor in floors.items():
            behind = (SEQUENCES.c.name == name) & (SEQUENCES.c.position < floor)
            connection.execute(SEQUENCES.update().where(behind).values(position=floor))


# Copy of the readable rows of a damaged SQLite file to a new file in its place.

_SUFFIXES = ("", "-wal", "-shm")
_MAX_ASIDE = 1000


def salvage(file: Path) -> tuple[Path, int]:
    """Move a damaged file aside and copy its readable rows into a new one.

    Returns the path of the damaged file and the number of copied rows.
    """
    aside = _move_aside(file)
    draft = file.with_name(f"{file.name}.draft")
    draft.unlink(missing_ok=True)
    count = 0
    with closing(sqlite3.connect(draft)) as target:
        with suppress(sqlite3.DatabaseError):
            count = _copy(aside, target)
        target.commit()
    draft.replace(file)
    return aside, count


def _move_aside(file: Path) -> Path:
    """Rename a file, with the files that SQLite keeps beside it, to a name that is free."""
    for number in range(1, _MAX_ASIDE):
        aside = file.with_name(f"{file.name}.damaged-{number}")
        if not aside.exists():
            break
    for suffix in _SUFFIXES:
        part = file.with_name(file.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return aside


def _copy(source: Path, target: sqlite3.Connection) -> int:
    with closing(sqlite3.connect(source)) as connection:
        schema = connection.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
            " AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        tables = [(name, text) for kind, name, text in schema if kind == "table"]
        count = 0
        for name, text in tables:
            target.execute(text)
            count += _copy_rows(connection, target, name)
        for text in (text for kind, _, text in schema if kind == "index"):
            with suppress(sqlite3.DatabaseError):  # the store makes missing indexes when it opens
                target.execute(text)
    return count


def _copy_rows(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> int:
    before = target.total_changes
    for order in ("ASC", "DESC"):
        for row in _readable(source, table, order):
            marks = ", ".join("?" * len(row))
            target.execute(f'INSERT OR IGNORE INTO "{table}" VALUES ({marks})', row)
    return target.total_changes - before


def _readable(source: sqlite3.Connection, table: str, order: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table up to the first that cannot be read."""
    with suppress(sqlite3.DatabaseError):
        yield from source.execute(f'SELECT * FROM "{table}" ORDER BY rowid {order}')


# Reset of stored instants that a clock wrote while it was ahead.


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
