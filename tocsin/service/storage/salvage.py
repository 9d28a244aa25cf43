"""Copy of the readable rows of a damaged SQLite file to a new file in its place.

The damaged file stays beside it. Each table is read from its first row to the first unreadable
page, then backwards from its last row: one damaged page costs the rows on it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

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
