"""The number of write transactions of a SQLite store, kept inside it and, as a mark, beside it.

The count is raised in the transaction that it counts, without a further wait for the disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import sqlalchemy as sql

from tocsin.service.storage.marks import Mark, MarkFile, mark_path

TABLE = "tocsin_writes"
"""Table of one row: the identity of the store, and the number of its write transactions."""

_CREATE = (
    f"CREATE TABLE IF NOT EXISTS {TABLE}"
    " (one INTEGER PRIMARY KEY, store TEXT NOT NULL, writes INTEGER NOT NULL)"
)
_INSERT = f"INSERT OR IGNORE INTO {TABLE} VALUES (1, ?, 0)"


class WriteCount:
    """The count of one store. `heads` are SQL texts that select its highest positions, by name."""

    def __init__(self, database: Path, heads: Mapping[str, str]) -> None:
        self._names = list(heads)
        selected = "".join(f", ({text})" for text in heads.values())
        self._increment = (
            f"UPDATE {TABLE} SET writes = writes + 1 RETURNING store, writes{selected}"
        )
        self._file = MarkFile(mark_path(database))

    def prepare(self, connection: sql.Connection) -> None:
        """Create the table if it is missing; a new one gives the store an identity."""
        connection.exec_driver_sql(_CREATE)
        connection.exec_driver_sql(_INSERT, (uuid4().hex,))

    def increment(self, connection: sql.Connection) -> Mark:
        """Count one write transaction; return the mark to write once it is committed."""
        store, writes, *heads = connection.exec_driver_sql(self._increment).one()
        return Mark(
            store, writes, {n: int(v or 0) for n, v in zip(self._names, heads, strict=True)}
        )

    def note(self, mark: Mark) -> None:
        """Write the mark of a committed transaction."""
        self._file.note(mark)

    def close(self) -> None:
        """Close the mark."""
        self._file.close()
