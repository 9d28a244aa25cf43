"""From the embedded default to PostgreSQL: all that a data folder holds goes into one database, and
the service goes on there as if nothing had happened.

Everything keeps its position, so that runners, deliveries and readers go on where they stopped. It
is done whole or not at all, into tables that are empty.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sql

from tocsin.errors import StateProblem
from tocsin.service.operations.components import open_service
from tocsin.service.settings.settings import EngineName, load_settings
from tocsin.service.storage.faults import require_sound
from tocsin.service.storage.write_count import TABLE

AT_ONCE = 5_000
"""So many rows are copied at a time."""

_FILES = ("catalog.db", "log.db", "state.db", "delivery.db", "epcis.db", "federation.db")
_USED = frozenset(("tocsin_log", "tocsin_events", "tocsin_matches", "tocsin_keys"))
"""Where one of these has rows, somebody uses the database; the others are replaced."""

_VERSIONS = ("epcis_schema",)
"""Tables that hold the version of others."""


def move_data(folder: Path, url: str) -> dict[str, int]:
    """Copies a data folder that nobody serves into a database that is empty; the rows of each
    table.
    """
    with _only_user(folder):
        require_sound(folder, None)
        _make_tables(folder, url)
        engine = sql.create_engine(url)
        counts: dict[str, int] = {}
        try:
            with engine.begin() as target:
                for name in _FILES:
                    if (folder / name).exists():
                        counts |= _copy_file(folder / name, target)
                forget_versions(target, counts)
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


def forget_versions(target: sql.Connection, copied: Mapping[str, int]) -> None:
    """Empty the tables of versions that the folder did not have: what was copied is older than
    the version of the new tables, and the next opening has to upgrade it.
    """
    for name in _VERSIONS:
        if name not in copied:
            target.execute(sql.table(name).delete())


@contextmanager
def _only_user(folder: Path) -> Iterator[None]:
    """The folder for us alone, as a service has it."""
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


def _make_tables(folder: Path, url: str) -> None:
    """A service that is opened makes all its tables."""
    open_service(
        load_settings(data=folder, database=url, engine=EngineName.NONE, auth=False)
    ).stop()


def _copy_file(file: Path, target: sql.Connection) -> dict[str, int]:
    engine = sql.create_engine(f"sqlite:///{file.absolute()}")
    found = sql.MetaData()
    try:
        with engine.connect() as source:
            found.reflect(source)
            tables = [table for table in found.sorted_tables if table.name != TABLE]
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
    """Columns that number themselves go on after what was copied."""
    found = sql.MetaData()
    found.reflect(target)
    for table in found.sorted_tables:
        for column in table.primary_key:
            if column.server_default is None or not isinstance(column.type, sql.Integer):
                continue
            name = sql.func.pg_get_serial_sequence(table.name, column.name)
            newest = sql.func.coalesce(sql.func.max(column), 0)
            target.execute(sql.select(sql.func.setval(name, newest + 1, False)))
