"""The database of a catalog: opened, or created on request, never created by accident.

Database errors become problems with a hint. A SQLite file locked by another process is waited for,
`BUSY` seconds at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sql
from sqlalchemy.pool import NullPool

from tocsin.errors import MeaningProblem, StateProblem

BUSY = 5.0
"""Seconds to wait for a database that is in use by another process."""

_METADATA = sql.MetaData()
COUNTER = sql.Table(
    "tocsin_version",
    _METADATA,
    sql.Column("one", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("version", sql.Integer, nullable=False),
)
LOG = sql.Table(
    "tocsin_log",
    _METADATA,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("version", sql.Integer, nullable=False, index=True),
    sql.Column("name", sql.Text, nullable=False, index=True),
    sql.Column("body", sql.Text, nullable=True),
)
PLANS = sql.Table(
    "tocsin_plan",
    _METADATA,
    sql.Column("name", sql.Text, primary_key=True),
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("origin", sql.Text, nullable=False),
    sql.Column("wire", sql.Text, nullable=False),
)
"""The plans of subscriptions beside their texts in the log; old catalogs do not have this table."""
CHANGES = sql.Table(
    "tocsin_change",
    _METADATA,
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("position", sql.BigInteger, nullable=False),
)
"""The log position after which a version holds, for services with an event log.

A version without a row holds from the position of the next version that has one; old catalogs do
not have this table.
"""
_LOCKED = ("locked", "lock timeout", "LockNotAvailable")


class CatalogDatabase:
    """A database by its URL; every use opens a connection. The constructor creates nothing."""

    __slots__ = ("_engine", "_file", "_has_changes", "_has_plans", "url")

    def __init__(self, url: str) -> None:
        self._has_plans = self._has_changes = False
        self.url = url if "://" in url else f"sqlite:///{Path(url).absolute()}"
        try:
            parsed = sql.make_url(self.url)
            self._file = (
                Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None
            )
            self._engine = sql.create_engine(parsed, poolclass=NullPool, **self._options())
        except ValueError as error:
            raise _wrong_port(error) from None
        except ImportError as error:
            raise _without_driver(error) from None
        except sql.exc.SQLAlchemyError as error:
            raise _cannot_open(error) from None

    def __str__(self) -> str:
        return (
            str(self._file) if self._file is not None else sql.make_url(self.url).render_as_string()
        )

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """Open a connection for reading."""
        with self._translate_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sql.Connection]:
        """Open a connection with a transaction."""
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    def holds_catalog(self) -> bool:
        """True if there is a catalog; raises if the database itself cannot be opened."""
        if self._file is not None and not _is_there(self._file):
            self._require_folder(self._file)
            return False
        try:
            with self._engine.connect() as connection:
                return sql.inspect(connection).has_table(COUNTER.name)
        except sql.exc.SQLAlchemyError as error:
            raise self._busy() if _is_lock(error) else _cannot_open(error) from None

    def has_plans(self, connection: sql.Connection) -> bool:
        """True if the catalog stores plans beside texts."""
        self._has_plans = self._has_plans or sql.inspect(connection).has_table(PLANS.name)
        return self._has_plans

    def require_plans(self, connection: sql.Connection) -> None:
        """Create the table of plans in an old catalog."""
        if not self.has_plans(connection):
            PLANS.create(connection, checkfirst=True)

    def has_changes(self, connection: sql.Connection) -> bool:
        """True if the catalog stores the positions of its versions."""
        self._has_changes = self._has_changes or sql.inspect(connection).has_table(CHANGES.name)
        return self._has_changes

    def require_changes(self, connection: sql.Connection, version: int) -> None:
        """Create the table of positions in an old catalog, for versions after this one.

        Earlier versions hold from the beginning of the log, since their positions are unknown. The
        caller holds the lock of the counter.
        """
        if not self.has_changes(connection):
            CHANGES.create(connection, checkfirst=True)
            if version:
                connection.execute(CHANGES.insert().values(version=version, position=0))

    def make_catalog(self) -> None:
        """Create an empty catalog; tables that exist are kept."""
        if self._file is not None:
            self._require_folder(self._file)
            _touch(self._file)
        with self.writing() as connection:
            _METADATA.create_all(connection)
            if connection.execute(sql.select(COUNTER.c.version)).first() is None:
                connection.execute(COUNTER.insert().values(one=1, version=0))

    def _options(self) -> dict[str, object]:
        """Return options to open only an existing SQLite file: the default would create it."""
        if self._file is None:
            return {}
        if not self._file.name:
            raise MeaningProblem(
                "a catalog in SQLite is a file", code="CatalogError", hint="give its path"
            )
        name = f"file:{quote(str(self._file.absolute()))}?mode=rw"
        # safe: the pool gives a connection to one thread at a time
        return {
            "creator": lambda: sqlite3.connect(
                name, uri=True, timeout=BUSY, check_same_thread=False
            )
        }

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sql.exc.SQLAlchemyError as error:
            raise self._busy() if _is_lock(error) else self._unusable(error) from None

    def _busy(self) -> StateProblem:
        return StateProblem(
            f"the catalog {self} is locked by another process, for more than {BUSY:g} s",
            code="CatalogLocked",
            hint="end the process that holds it, then try again; for many writers use PostgreSQL",
        )

    def _unusable(self, error: Exception) -> StateProblem:
        return StateProblem(
            f"the catalog {self} cannot be used: {_reason(error)}",
            code="CatalogError",
            hint="is it there, and is it a catalog? Look with: tocsin catalog list CATALOG",
        )

    @staticmethod
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


def _cannot_open(error: Exception) -> MeaningProblem:
    return MeaningProblem(
        f"the catalog cannot be opened: {_reason(error)}",
        code="CatalogError",
        hint="give a file path, sqlite:///file.db or postgresql+psycopg://user@host/database",
    )


def _without_driver(error: ImportError) -> MeaningProblem:
    return MeaningProblem(
        f"the catalog cannot be opened: {_reason(error)}",
        code="CatalogError",
        token=error.name or "",
        hint=(
            "PostgreSQL needs its driver: pip install 'tocsin[postgresql]', and"
            " postgresql+psycopg:// in the URL"
        ),
    )


def _is_lock(error: Exception) -> bool:
    return any(word in str(error) for word in _LOCKED)


def _reason(error: Exception) -> str:
    return str(error).partition("\n")[0]
