"""Versions of the tables of a store: a newer one is refused, an older one is upgraded.

A database from before there were versions has tables and no version: its first migrations make
only what is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sql

from tocsin.database.stores import Store
from tocsin.errors import StateProblem
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
