"""The mark of a store: its write count and positions, in a small file beside it.

A mark is written after the commit that it describes, and not synced: a crash or a power cut may
leave it behind its store, never ahead of it. So a store that is behind its mark has lost data. The
number of write transactions is also kept inside a SQLite store, and raised in the transaction that
it counts, without a further wait for the disk.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4
from zlib import crc32

import sqlalchemy as sql

MIN_BYTES = 512
"""Size that marks are padded to, one sector: a shorter one overwrites a longer one completely."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The identity of a store, the number of its write transactions, and its highest positions."""

    store: str
    writes: int
    heads: Mapping[str, int] = field(default_factory=dict)


def mark_path(database: Path) -> Path:
    """Return the path of the mark that belongs to a database file."""
    return database.with_suffix(".mark")


def read_mark(path: Path) -> Mark | None:
    """Return the mark in a file; None where it is missing or its checksum does not fit."""
    try:
        checksum, _, text = path.read_bytes().partition(b" ")
    except OSError:
        return None
    body = text.rstrip(b" \n")
    if checksum != _checksum(body):
        return None
    found = json.loads(body)
    return Mark(found["store"], found["writes"], found["heads"])


class MarkFile:
    """The mark file of one store, written by any thread.

    It never goes back, and it never replaces the mark of another store, which stays as the evidence
    that a store was replaced.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known = read_mark(path)
        self._number: int | None = None

    def note(self, mark: Mark) -> None:
        """Write a mark, unless the file has one of a later write or of another store."""
        with self._lock:
            known = self._known
            if known is not None and (known.store != mark.store or known.writes >= mark.writes):
                return
            with suppress(OSError):  # a full disk: the commit stands, the mark lags behind
                self._write(mark)
                self._known = mark

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._number is not None:
                os.close(self._number)
                self._number = None

    def _write(self, mark: Mark) -> None:
        if self._number is None:
            self._number = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        body = json.dumps(
            {"store": mark.store, "writes": mark.writes, "heads": dict(mark.heads)}
        ).encode()
        text = _checksum(body) + b" " + body
        os.pwrite(self._number, text.ljust(MIN_BYTES - 1) + b"\n", 0)


def _checksum(body: bytes) -> bytes:
    return b"%08x" % crc32(body)


# The number of write transactions, inside a store.

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
