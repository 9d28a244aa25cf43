"""The database of a catalog: opened, or created on request, never created by accident.

Database errors become problems with a hint. A SQLite file locked by another process is waited for,
`BUSY` seconds at most.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sql

from tocsin.database.database import Access, Database, first_line, is_lock
from tocsin.database.stores import CATALOG
from tocsin.errors import MeaningProblem, Problem, StateProblem

BUSY = 5.0
"""Seconds to wait for a database that is in use by another process."""

METADATA = sql.MetaData()
COUNTER = sql.Table(
    "tocsin_version",
    METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", sql.Integer, nullable=False),
)
LOG = sql.Table(
    "tocsin_log",
    METADATA,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("version", sql.Integer, nullable=False, index=True),
    sql.Column("name", sql.Text, nullable=False, index=True),
    sql.Column("body", sql.Text, nullable=True),
)
PLANS = sql.Table(
    "tocsin_plan",
    METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("origin", sql.Text, nullable=False),
    sql.Column("wire", sql.Text, nullable=False),
)
"""The plans of subscriptions beside their texts in the log; an old catalog that is only read may
lack this table.
"""
CHANGES = sql.Table(
    "tocsin_change",
    METADATA,
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.BigInteger, nullable=False),
)
"""The log position after which a version holds, for services with an event log.

A version without a row holds from the position of the next version that has one; an old catalog
that is only read may lack this table.
"""


def catalog_database(url: str) -> Database:
    """Return the database behind a URL; a bare path is a SQLite file. Nothing is opened yet."""
    full = url if "://" in url else f"sqlite:///{Path(url).absolute()}"
    database = Database(full, CATALOG, Access(_cannot_connect, _cannot_use, BUSY))
    if database.file is not None and not database.file.name:
        raise MeaningProblem(
            "a catalog in SQLite is a file", code="CatalogError", hint="give its path"
        )
    return database


def name_of(database: Database) -> str:
    """Return the name of a database for a person: its file, or its URL without the password."""
    return str(database if database.file is None else database.file)


def holds_catalog(database: Database) -> bool:
    """True if there is a catalog; raises if the database itself cannot be opened."""
    if database.file is not None and not _is_there(database.file):
        _require_folder(database.file)
        return False
    return database.holds_store()


def make_catalog(database: Database) -> None:
    """Create an empty catalog; what exists is kept, with its tables in their newest version."""
    if database.file is not None:
        _require_folder(database.file)
        _touch(database.file)
    database.upgrade(CATALOG)
    with database.reading() as connection:
        has_counter = connection.execute(sql.select(COUNTER.c.version)).first() is not None
    if not has_counter:  # of a catalog that was salvaged in part
        with database.writing() as connection:
            connection.execute(COUNTER.insert().values(one=1, version=0))


def _require_folder(file: Path) -> None:
    if not file.absolute().parent.is_dir():
        raise MeaningProblem(
            f"the folder {file.absolute().parent} does not exist",
            code="CatalogError",
            hint="make the folder first, or give another path",
        )


def _is_there(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError as error:  # not a valid file name
        raise _cannot_open(error) from None


def _touch(file: Path) -> None:
    try:
        file.touch()
    except (OSError, ValueError) as error:
        raise _cannot_open(error) from None


def _cannot_use(database: Database, error: Exception) -> Problem:
    name = name_of(database)
    if is_lock(error):
        return StateProblem(
            f"the catalog {name} is locked by another process, for more than {BUSY:g} s",
            code="CatalogLocked",
            hint="end the process that holds it, then try again; for many writers use PostgreSQL",
        )
    return StateProblem(
        f"the catalog {name} cannot be used: {first_line(error)}",
        code="CatalogError",
        hint="is it there, and is it a catalog? Look with: tocsin catalog list CATALOG",
    )


def _cannot_connect(error: Exception) -> Problem:
    """Return the problem of a URL that no connection can be made to."""
    if isinstance(error, ImportError):
        return _without_driver(error)
    if isinstance(error, ValueError):
        return _wrong_port(error)
    return _cannot_open(error)


def _cannot_open(error: Exception) -> Problem:
    return MeaningProblem(
        f"the catalog cannot be opened: {first_line(error)}",
        code="CatalogError",
        hint="give a file path, sqlite:///file.db or postgresql+psycopg://user@host/database",
    )


def _wrong_port(error: ValueError) -> MeaningProblem:
    """Return the problem of a URL with an invalid port, its only numeric part."""
    _, _, port = str(error).rpartition(": ")
    return MeaningProblem(
        f"the catalog cannot be opened: its URL has the port {port}, which is no number",
        code="CatalogError",
        token=port.strip("'"),
        hint=(
            "write it like postgresql+psycopg://user@host:5432/database; an IPv6 address stands"
            " in [ ]"
        ),
    )


def _without_driver(error: ImportError) -> MeaningProblem:
    return MeaningProblem(
        f"the catalog cannot be opened: {first_line(error)}",
        code="CatalogError",
        token=error.name or "",
        hint=(
            "PostgreSQL needs its driver: pip install 'tocsin[postgresql]', and"
            " postgresql+psycopg:// in the URL"
        ),
    )
