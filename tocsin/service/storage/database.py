"""A database by its URL, with missing tables created. SQLite uses write-ahead logging and waits for
the disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.pool import QueuePool

from tocsin.errors import MeaningProblem, StateProblem
from tocsin.service.storage.write_count import WriteCount

BUSY = 10.0
"""Seconds to wait for a SQLite file that another connection writes to."""

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "temp_store=MEMORY", "cache_size=-65536")


class ServiceDatabase:
    """Connections to one database; its errors become StateProblem `StorageError`.

    With `heads`, SQL that selects its highest positions by name, a SQLite file counts its write
    transactions and keeps a mark beside it.
    """

    def __init__(
        self, url: str, metadata: sql.MetaData, *, heads: Mapping[str, str] | None = None
    ) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        try:
            self._engine = sql.create_engine(url, poolclass=QueuePool, **self._options())
        except (ImportError, ValueError, sql.exc.SQLAlchemyError) as error:
            raise _cannot_open(error) from None
        if self.is_sqlite:
            sql.event.listen(self._engine, "connect", _prepare)
            sql.event.listen(self._engine, "begin", _begin_now)
        self._count: WriteCount | None = None
        with self.writing() as connection:
            metadata.create_all(connection)
        if self.is_sqlite and heads is not None:
            self._begin_count(heads)

    def __str__(self) -> str:
        return sql.make_url(self.url).render_as_string()

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """Yield a connection for reading one consistent snapshot."""
        with self._convert_errors(), self._engine.connect() as connection:
            reader = connection.execution_options(reads=True)
            with reader.begin():
                yield reader

    @contextmanager
    def writing(self) -> Iterator[sql.Connection]:
        """Yield a connection whose changes are all committed and durable, or none."""
        with self._convert_errors(), self._engine.begin() as connection:
            yield connection
            mark = None if self._count is None else self._count.increment(connection)
        if self._count is not None and mark is not None:
            self._count.note(mark)

    def close(self) -> None:
        """Close all connections that are not in use."""
        self._engine.dispose()
        if self._count is not None:
            self._count.close()

    def _begin_count(self, heads: Mapping[str, str]) -> None:
        count = WriteCount(Path(sql.make_url(self.url).database or ""), heads)
        with self.writing() as connection:
            count.prepare(connection)
        self._count = count
        with self.writing():
            pass  # an empty transaction writes the first mark

    def _options(self) -> dict[str, Any]:
        if self.is_sqlite:
            return {
                "connect_args": {
                    "timeout": BUSY,
                    "check_same_thread": False,
                    "isolation_level": None,
                }
            }
        return {"pool_pre_ping": True}

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except sql.exc.SQLAlchemyError as error:
            reason = str(error).partition("\n")[0]
            raise StateProblem(
                f"the database {self} cannot be used: {reason}",
                code="StorageError",
                hint="is it there, and is there room on the disk? The service tries again",
            ) from error


def write_ahead(url: str) -> None:
    """Switch the database at a URL to write-ahead logging, one wait for the disk per change; SQLite
    remembers the mode.
    """
    ServiceDatabase(url, sql.MetaData()).close()


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_now(connection: sql.Connection) -> None:
    """Begin a transaction; a writer locks at once, since a reader that becomes one could fail."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _cannot_open(error: Exception) -> MeaningProblem:
    return MeaningProblem(
        f"the database cannot be opened: {str(error).partition(chr(10))[0]}",
        code="StorageError",
        token="database",
        hint="give sqlite:////path/file.db or postgresql+psycopg://user:password@host/database",
    )
