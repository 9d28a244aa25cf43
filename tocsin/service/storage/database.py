"""The databases of the service, with the tables of a store. SQLite uses write-ahead logging and
waits for the disk.

Bulk insert goes straight through the driver: SQLAlchemy's processing of each value took longer than
the writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

import sqlalchemy as sql
from sqlalchemy.pool import QueuePool

from tocsin.database.database import Access, Database, first_line
from tocsin.database.stores import Store
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.service.storage.marks import WriteCount

BUSY = 10.0
"""Seconds to wait for a SQLite file that another connection writes to."""

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "temp_store=MEMORY", "cache_size=-65536")


def open_database(url: str, store: Store, *, heads: Mapping[str, str] | None = None) -> Database:
    """Open a database, with the tables of a store in their newest version.

    With `heads`, SQL that selects its highest positions by name, a SQLite file counts its write
    transactions and keeps a mark beside it.
    """
    database = Database(url, store, _ACCESS)
    database.upgrade(store)
    if database.file is not None and heads is not None:
        _begin_count(database, WriteCount(database.file, heads))
    return database


def write_ahead(url: str) -> None:
    """Switch the database at a URL to write-ahead logging, one wait for the disk per change; SQLite
    remembers the mode.
    """
    database = Database(url, None, _ACCESS)
    with database.reading():
        pass  # every connection sets it
    database.close()


def _begin_count(database: Database, count: WriteCount) -> None:
    with database.writing() as connection:
        count.prepare(connection)
    database.count_writes(count)
    with database.writing():
        pass  # an empty transaction writes the first mark


def _cannot_use(database: Database, error: Exception) -> StateProblem:
    return StateProblem(
        f"the database {database} cannot be used: {first_line(error)}",
        code="StorageError",
        hint="is it there, and is there room on the disk? The service tries again",
    )


def _cannot_open(error: Exception) -> MeaningProblem:
    return MeaningProblem(
        f"the database cannot be opened: {first_line(error)}",
        code="StorageError",
        token="database",
        hint="give sqlite:////path/file.db or postgresql+psycopg://user:password@host/database",
    )


_ACCESS = Access(_cannot_open, _cannot_use, BUSY, makes_file=True, pragmas=_PRAGMAS, pool=QueuePool)


def insert_rows(connection: sql.Connection, table: sql.Table, rows: Iterable[object]) -> None:
    """Insert rows whose attributes have the names of the columns, with values as the driver takes
    them.
    """
    statement, parameters = _prepared(table, connection.dialect)
    connection.exec_driver_sql(statement, list(map(parameters, rows)))


@cache
def _prepared(table: sql.Table, dialect: sql.Dialect) -> tuple[str, Callable[[object], Any]]:
    """Return the text of an insert, and the function that makes its parameters from a row."""
    names = [column.name for column in table.columns]
    compiled = table.insert().compile(dialect=dialect, column_keys=names)
    if compiled.positiontup is not None:
        return str(compiled), attrgetter(*compiled.positiontup)
    values = attrgetter(*names)
    return str(compiled), lambda row: dict(zip(names, values(row), strict=True))
