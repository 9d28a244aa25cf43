"""The migrations of a store, run by Alembic in the transaction of the caller.

Alembic keeps the operations that it runs on in a global variable: one upgrade runs at a time.
"""

from __future__ import annotations

import threading
from pathlib import Path

import sqlalchemy as sql
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from tocsin.database.stores import Store

FOLDER = Path(__file__).parent / "migrations"

_ALONE = threading.Lock()


def run_migrations(connection: sql.Connection, store: Store) -> None:
    """Run the migrations after the stored version, in order, and store the newest version."""
    script = migrations_of(store)
    context = MigrationContext.configure(connection, opts={"version_table": store.version_table})
    newest_first = script.iterate_revisions("head", context.get_current_revision())
    with _ALONE, Operations.context(context):
        for step in reversed(list(newest_first)):
            step.module.upgrade()
        context.stamp(script, "head")


def migrations_of(store: Store) -> ScriptDirectory:
    """Return the numbered files of a store, as Alembic reads them."""
    return ScriptDirectory(str(FOLDER), version_locations=[str(FOLDER / store.name)])
