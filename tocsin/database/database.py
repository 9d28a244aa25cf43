"""A database by its URL, with problems for its errors and versions of its tables.

Its tables are of the newest version when they are written.

Reading changes nothing: it takes the tables of an older version as they are, and refuses those of a
newer one.

A database from before there were versions has tables and no version: its first migrations make
only what is missing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import sqlalchemy as sql
from sqlalchemy.pool import NullPool, Pool

from tocsin.database.stores import Store
from tocsin.errors import Problem, StateProblem
from tocsin.lazy_import import LazyModule

if TYPE_CHECKING:
    from tocsin.database import alembic_steps
else:
    alembic_steps = LazyModule("tocsin.database.alembic_steps")


NEWER = "StorageNewer"
"""Code of the problem of a store that a later release has upgraded."""

_LOCK = 0x746F6373696E2004
"""Number of the advisory lock in PostgreSQL under which tables are upgraded."""


def stored_version(connection: sql.Connection, store: Store) -> int:
    """Return the version of the tables of a store; 0 without one.

    Raises `StorageNewer` where this release does not know it.
    """
    if not sql.inspect(connection).has_table(store.version_table):
        return 0
    table = sql.table(store.version_table, sql.column("version_num"))
    version = int(connection.execute(sql.select(table.c.version_num)).scalar() or 0)
    if version > store.version:
        raise StateProblem(
            f"the {store.name} at {connection.engine.url.render_as_string()} has tables of"
            f" version {version}, and this release knows versions up to {store.version}",
            code=NEWER,
            token=store.name,
            hint=(
                "start the release that upgraded it or a later one, or restore the backup from"
                " before the upgrade (docs/operations.md)"
            ),
        )
    return version


def upgrade_store(connection: sql.Connection, store: Store) -> None:
    """Bring the tables of a store to the newest version, in the transaction of a connection.

    Others that upgrade at the same time wait: for the write lock in SQLite, for an advisory lock in
    PostgreSQL. They find the newest version afterwards.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
    if stored_version(connection, store) < store.version:
        alembic_steps.run_migrations(connection, store)


_LOCKED = ("locked", "lock timeout", "LockNotAvailable")


class Counter(Protocol):
    """A count of write transactions, kept in the database and noted elsewhere."""

    def increment(self, connection: sql.Connection) -> Any:
        """Count the transaction of a connection; return what to note once it is committed."""

    def note(self, mark: Any) -> None:
        """Note a committed transaction."""

    def close(self) -> None:
        """Close what is open."""


@dataclass(frozen=True, slots=True)
class Access:
    """Ways to open a kind of database and to report its errors.

    `busy` is the number of seconds to wait for a SQLite file that another connection writes to;
    `pragmas` are set for each connection to it. Without `makes_file` a missing file is an error.
    """

    cannot_open: Callable[[Exception], Problem]
    cannot_use: Callable[[Database, Exception], Problem]
    busy: float
    makes_file: bool = False
    pragmas: tuple[str, ...] = ()
    pool: type[Pool] = NullPool


class Database:
    """Connections to one database, and to the tables of `store` in it. The constructor opens none.

    The tables of an existing store are upgraded before the first write; a missing store is only
    made by `upgrade`.
    """

    def __init__(self, url: str, store: Store | None, access: Access) -> None:
        self.url = url
        self._store, self._access = store, access
        self._is_current = store is None
        self._counter: Counter | None = None
        try:
            parsed = sql.make_url(url)
            self.is_sqlite = parsed.get_backend_name() == "sqlite"
            self.file = Path(parsed.database or "") if self.is_sqlite else None
            self._engine = sql.create_engine(parsed, poolclass=access.pool, **self._options())
        except (ImportError, ValueError, sql.exc.SQLAlchemyError) as error:
            raise access.cannot_open(error) from None
        if self.is_sqlite:
            sql.event.listen(self._engine, "connect", self._prepare)
            sql.event.listen(self._engine, "begin", _begin_now)

    def __str__(self) -> str:
        return sql.make_url(self.url).render_as_string()

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """Yield a connection for reading one consistent snapshot."""
        with self._convert_errors(), self._snapshot() as connection:
            self._note_version(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sql.Connection]:
        """Yield a connection whose changes are all committed and durable, or none."""
        if self._store is not None and not self._is_current and self._has_older(self._store):
            self.upgrade(self._store)
        counter = self._counter
        with self._convert_errors(), self._engine.begin() as connection:
            yield connection
            mark = None if counter is None else counter.increment(connection)
        if counter is not None and mark is not None:
            counter.note(mark)

    def upgrade(self, store: Store) -> None:
        """Bring the tables of a store to the newest version, and make those that are missing."""
        with self.reading() as connection:
            is_current = stored_version(connection, store) == store.version
        if not is_current:
            with self._convert_errors(), self._engine.begin() as connection:
                upgrade_store(connection, store)
        self._is_current = self._is_current or store == self._store

    def holds_store(self) -> bool:
        """True if the store is there; raises if the database cannot be opened."""
        try:
            with self._snapshot() as connection:
                self._note_version(connection)
                return self._store is not None and _has_table(connection, self._store.table)
        except sql.exc.SQLAlchemyError as error:
            if is_lock(error):
                raise self._access.cannot_use(self, error) from None
            raise self._access.cannot_open(error) from None

    def has(self, connection: sql.Connection, table: sql.Table) -> bool:
        """True if a table is there: one of an older version that is only read may lack it."""
        return self._is_current or _has_table(connection, table.name)

    def count_writes(self, counter: Counter) -> None:
        """Count every write transaction from now on."""
        self._counter = counter

    def close(self) -> None:
        """Close all connections that are not in use."""
        self._engine.dispose()
        if self._counter is not None:
            self._counter.close()

    @contextmanager
    def _snapshot(self) -> Iterator[sql.Connection]:
        with self._engine.connect() as connection:
            reader = connection.execution_options(reads=True)
            with reader.begin():
                yield reader

    def _note_version(self, connection: sql.Connection) -> None:
        """Refuse a newer version; an older one is looked at again with each transaction."""
        if self._store is not None and not self._is_current:
            self._is_current = stored_version(connection, self._store) == self._store.version

    def _has_older(self, store: Store) -> bool:
        with self.reading() as connection:
            return not self._is_current and _has_table(connection, store.table)

    def _options(self) -> dict[str, Any]:
        if self.file is None:
            return {"pool_pre_ping": True}
        # safe: the pool gives a connection to one thread at a time
        options: dict[str, Any] = {
            "timeout": self._access.busy,
            "check_same_thread": False,
            "isolation_level": None,
        }
        if self._access.makes_file:
            return {"connect_args": options}
        name = f"file:{quote(str(self.file.absolute()))}?mode=rw"
        return {"creator": lambda: sqlite3.connect(name, uri=True, **options)}

    def _prepare(self, connection: sqlite3.Connection, _: object) -> None:
        for pragma in self._access.pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except sql.exc.SQLAlchemyError as error:
            raise self._access.cannot_use(self, error) from error


def is_lock(error: Exception) -> bool:
    """True if an error says that another process holds the database for too long."""
    return any(word in str(error) for word in _LOCKED)


def first_line(error: Exception) -> str:
    """Return the first line of an error: the rest is the statement."""
    return str(error).partition("\n")[0]


def _has_table(connection: sql.Connection, name: str) -> bool:
    return sql.inspect(connection).has_table(name)


def _begin_now(connection: sql.Connection) -> None:
    """Begin a transaction; a writer locks at once, since a reader that becomes one could fail."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")
