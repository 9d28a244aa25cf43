"""Migration from the embedded databases to PostgreSQL: a data folder is copied into one database,
and the service continues there.

Every row keeps its position, so that runners, deliveries and readers continue at the same place.
All or nothing, into a database that is not in use.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sql

from tocsin.database.stores import STORES
from tocsin.errors import StateProblem
from tocsin.service.operations.components import open_service
from tocsin.service.settings.settings import ServiceEngine, load_settings
from tocsin.service.storage.database import open_database
from tocsin.service.storage.faults import require_sound
from tocsin.service.storage.marks import TABLE
from tocsin.service.storage.positions import FILES, STORES_IN

AT_ONCE = 5_000
"""Rows copied in one statement."""

_FILES = ("catalog.db", "log.db", "state.db", "delivery.db", "epcis.db", "federation.db")
_OWN = frozenset((TABLE, *(store.version_table for store in STORES)))
"""Tables that say something of the file itself."""

_USED = frozenset(("tocsin_log", "tocsin_events", "tocsin_matches", "tocsin_keys"))
"""Tables whose rows show that the database is in use; the rows of other tables are replaced."""


def migrate_data(folder: Path, url: str) -> dict[str, int]:
    """Copy a data folder that is not in use into an empty database; return the rows of each table.

    Raises StateProblem, and copies nothing, if the folder or the database is in use.
    """
    with _only_user(folder):
        require_sound(folder, None)
        _upgrade_files(folder)
        _make_tables(folder, url)
        engine = sql.create_engine(url)
        counts: dict[str, int] = {}
        try:
            with engine.begin() as target:
                for name in _FILES:
                    if (folder / name).exists():
                        counts |= _copy_file(folder / name, target)
                _continue_sequences(target)
        except sql.exc.SQLAlchemyError as error:
            raise StateProblem(
                f"nothing was moved: {str(error).partition(chr(10))[0]}",
                code="MoveError",
                hint="the folder is as it was; give an empty database and try again",
            ) from None
        finally:
            engine.dispose()
    return counts


@contextmanager
def _only_user(folder: Path) -> Iterator[None]:
    """Lock the folder, as a service does."""
    if not (folder / "log.db").exists():
        raise StateProblem(
            f"{folder} is no data folder", code="DataFolderError", hint="that of `tocsin up`"
        )
    number = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StateProblem(
            f"a service uses the folder {folder}", code="DataFolderError", hint="stop it first"
        ) from None
    finally:
        os.close(number)


def _upgrade_files(folder: Path) -> None:
    """Bring the tables of a folder to the versions of those that they are copied to."""
    for name, file in FILES.items():
        if (folder / file).exists():
            for store in STORES_IN[name]:
                open_database(f"sqlite:///{(folder / file).absolute()}", store).close()


def _make_tables(folder: Path, url: str) -> None:
    """Make all tables, by opening a service on the database."""
    open_service(
        load_settings(data=folder, database=url, engine=ServiceEngine.NONE, auth=False)
    ).stop()


def _copy_file(file: Path, target: sql.Connection) -> dict[str, int]:
    engine = sql.create_engine(f"sqlite:///{file.absolute()}")
    found = sql.MetaData()
    try:
        with engine.connect() as source:
            found.reflect(source)
            tables = [table for table in found.sorted_tables if table.name not in _OWN]
            return {table.name: _copy_table(source, table, target) for table in tables}
    finally:
        engine.dispose()


def _copy_table(source: sql.Connection, table: sql.Table, target: sql.Connection) -> int:
    wanted = sql.Table(table.name, sql.MetaData(), autoload_with=target)
    if table.name not in _USED:
        target.execute(wanted.delete())
    elif target.execute(sql.select(wanted).limit(1)).first() is not None:
        raise StateProblem(
            f"nothing was moved: the table {table.name} there is not empty",
            code="MoveError",
            hint="give an empty database",
        )
    count = 0
    rows = source.execution_options(stream_results=True).execute(sql.select(table))
    for part in rows.mappings().partitions(AT_ONCE):
        target.execute(wanted.insert(), [dict(row) for row in part])
        count += len(part)
    return count


def _continue_sequences(target: sql.Connection) -> None:
    """Let columns that number themselves continue after the copied rows."""
    found = sql.MetaData()
    found.reflect(target)
    for table in found.sorted_tables:
        for column in table.primary_key:
            if column.server_default is None or not isinstance(column.type, sql.Integer):
                continue
            name = sql.func.pg_get_serial_sequence(table.name, column.name)
            newest = sql.func.coalesce(sql.func.max(column), 0)
            target.execute(sql.select(sql.func.setval(name, newest + 1, False)))
