"""Migrations: numbered without gaps, equal to what is declared, run once, whole or not at all."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sql
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tests.database.stored import schema_of, write_file
from tocsin.catalog import Catalog, Subscription, create_catalog, open_catalog
from tocsin.catalog import database as catalog_tables
from tocsin.database import alembic_steps
from tocsin.database.database import NEWER, stored_version
from tocsin.database.stores import CATALOG, DELIVERY, EPCIS, FEDERATION, LOG, STATE, STORES, Store
from tocsin.errors import Problem, StateProblem
from tocsin.service.delivery import store as delivery_tables
from tocsin.service.epcis import index as epcis_tables
from tocsin.service.federation import store as federation_tables
from tocsin.service.storage import schema as service_tables
from tocsin.service.storage.database import open_database
from tocsin.service.storage.log_reader import StoredLog

DECLARED: dict[Store, sql.MetaData] = {
    CATALOG: catalog_tables.METADATA,
    LOG: service_tables.LOG_METADATA,
    STATE: service_tables.METADATA,
    DELIVERY: delivery_tables.METADATA,
    EPCIS: epcis_tables.METADATA,
    FEDERATION: federation_tables.METADATA,
}
EVERY = pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
FOREVER = 300.0


@pytest.fixture
def server(postgres_url: str) -> str:
    return postgres_url


@EVERY
def test_migrations_are_numbered_without_gaps_up_to_the_newest_version(store: Store) -> None:
    script = alembic_steps.migrations_of(store)
    steps = list(script.walk_revisions())
    wanted = [f"{number:04}" for number in range(store.version, 0, -1)]
    assert [step.revision for step in steps] == wanted
    files = sorted(path.name[:4] for path in (alembic_steps.FOLDER / store.name).glob("*.py"))
    assert files == sorted(wanted)


@EVERY
def test_the_tables_are_those_that_are_declared(store: Store, tmp_path: Path) -> None:
    _require_declared(f"sqlite:///{tmp_path / 'some.db'}", store)


@pytest.mark.postgres
def test_the_tables_in_postgresql_are_those_that_are_declared(server: str) -> None:
    for store in STORES:
        _require_declared(server, store)


def _require_declared(url: str, store: Store) -> None:
    database = open_database(url, store)
    tables = DECLARED[store].tables
    assert store.table in tables

    def include(_: object, name: str | None, kind: str, *__: object) -> bool:
        return kind != "table" or name in tables

    with database.reading() as connection:
        options = {"include_object": include, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, DECLARED[store]) == []
        assert stored_version(connection, store) == store.version
    database.close()


@EVERY
def test_a_file_from_before_versions_gets_the_same_tables(store: Store, tmp_path: Path) -> None:
    name = "state" if store == FEDERATION else store.name
    (tmp_path / "new").mkdir()
    write_file(tmp_path / f"{name}.db")
    stored = schema_of(tmp_path / f"{name}.db")
    for folder in (tmp_path, tmp_path / "new"):
        open_database(f"sqlite:///{folder / name}.db", store).close()
    old, new = schema_of(tmp_path / f"{name}.db"), schema_of(tmp_path / "new" / f"{name}.db")
    assert stored < old
    assert {each[:2] for each in new} <= {each[:2] for each in old}
    assert {each[1] for each in old - stored} == {store.version_table}


@EVERY
def test_a_current_database_is_opened_without_writing_and_without_alembic(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'some.db'}"
    open_database(url, store).close()
    monkeypatch.setattr(alembic_steps, "run_migrations", None)
    with closing(sqlite3.connect(tmp_path / "some.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        open_database(url, store).close()


def test_a_catalog_is_read_and_a_hub_runs_without_alembic(tmp_path: Path) -> None:
    create_catalog(str(tmp_path / "c.db")).add(Subscription("s", "selector", "a = 1"))
    program = f"""
import sys, tocsin
hub = tocsin.Hub()
hub.close()
assert "sqlalchemy" not in sys.modules
from tocsin.catalog import open_catalog
assert len(open_catalog({str(tmp_path / "c.db")!r}).snapshot().subscriptions) == 1
assert "alembic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@EVERY
def test_a_newer_version_is_refused_by_name(store: Store, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'some.db'}"
    open_database(url, store).close()
    _set_version(tmp_path / "some.db", store, "9999")
    before = schema_of(tmp_path / "some.db")
    with pytest.raises(StateProblem, match=rf"the {store.name} at .*some\.db .*9999.*backup") as no:
        open_database(url, store)
    assert no.value.code == NEWER
    assert schema_of(tmp_path / "some.db") == before


def test_a_newer_catalog_is_neither_read_nor_written(tmp_path: Path) -> None:
    catalog = create_catalog(str(tmp_path / "c.db"))
    _set_version(tmp_path / "c.db", CATALOG, "0004")
    given = Subscription("s", "selector", "a = 1")
    again = Catalog(catalog.url)
    for use in (
        again.snapshot,
        lambda: again.add(given),
        lambda: open_catalog(catalog.url),
        lambda: open_catalog(catalog.url, create=True),
        lambda: create_catalog(catalog.url),
    ):
        with pytest.raises(Problem, match=NEWER):
            use()


def test_a_newer_log_is_not_read_by_spark(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_database(url, LOG).close()
    _set_version(tmp_path / "log.db", LOG, "0002")
    with pytest.raises(Problem, match=NEWER):
        StoredLog(url).bounds()


def _set_version(path: Path, store: Store, number: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE {store.version_table} SET version_num = ?", (number,))
        connection.commit()


OLD_CATALOGS = {
    "1": ("DROP TABLE tocsin_plan", "DROP TABLE tocsin_change"),
    "2": ("DROP TABLE tocsin_change",),
}


@pytest.mark.parametrize("changes", OLD_CATALOGS.values(), ids=OLD_CATALOGS)
def test_an_old_catalog_is_read_as_it_is_and_upgraded_by_its_next_change(
    changes: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "catalog.db"
    write_file(path, *changes)
    before = path.read_bytes()
    catalog = open_catalog(str(path))
    version, held = catalog.version(), {each.id for each in catalog.snapshot().subscriptions}
    assert {"cheap", "pair", "sent"} <= held
    assert all(each.stored is None for each in catalog.snapshot().subscriptions) is (
        "DROP TABLE tocsin_plan" in changes
    )
    assert catalog.changes(0, version).added == catalog.snapshot().subscriptions
    assert catalog.placed(0) == []
    assert path.read_bytes() == before
    assert catalog.add(Subscription("new", "selector", "a = 1")) == version + 1
    assert [(each.version, each.position) for each in catalog.placed(0)] == [(version, 0)]
    assert {each.id for each in open_catalog(str(path)).snapshot().subscriptions} == {*held, "new"}


def test_the_present_catalog_without_a_version_is_read_whole_without_a_change(
    tmp_path: Path,
) -> None:
    path = tmp_path / "catalog.db"
    write_file(path)
    before = path.read_bytes()
    catalog = open_catalog(str(path))
    assert all(each.stored is not None for each in catalog.snapshot().subscriptions)
    assert [each.version for each in catalog.placed(0)] == list(range(1, catalog.version() + 1))
    assert path.read_bytes() == before
    catalog.remove("cheap")
    assert [each.version for each in catalog.placed(0)] == list(range(1, catalog.version()))


def test_another_database_does_not_become_a_catalog_by_a_change(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    write_file(path)
    before = path.read_bytes()
    with pytest.raises(Problem, match="CatalogError"):
        Catalog(str(path)).add(Subscription("s", "selector", "a = 1"))
    assert path.read_bytes() == before


def test_cursors_of_old_begin_with_no_version(tmp_path: Path) -> None:
    path = tmp_path / "delivery.db"
    write_file(path, "ALTER TABLE tocsin_deliveries DROP COLUMN since")
    database = open_database(f"sqlite:///{path}", DELIVERY)
    with database.reading() as connection:
        rows = connection.execute(sql.select(delivery_tables.DELIVERIES)).all()
    assert [(row.subscription, row.since) for row in rows] == [("sent", 0)]
    database.close()


STEP = """
import sqlalchemy as sql
from alembic import op

revision = "{number:04}"
down_revision = "{before:04}"


def upgrade() -> None:
    op.create_table("made_first", sql.Column("one", sql.Integer, primary_key=True))
    op.add_column("{table}", sql.Column("more", sql.Integer))
    op.execute("UPDATE {table} SET more = 1")
    {end}
    op.create_table("made_last", sql.Column("one", sql.Integer, primary_key=True))
"""
KILL = "import os; os.kill(os.getpid(), 9)"


def _with_next_step(
    monkeypatch: pytest.MonkeyPatch, folder: Path, store: Store, end: str = ""
) -> Store:
    """A store with one more migration, which has steps before and behind `end`."""
    there = folder / store.name
    there.mkdir(parents=True)
    for path in (alembic_steps.FOLDER / store.name).glob("*.py"):
        (there / path.name).write_text(path.read_text())
    number = store.version + 1
    text = STEP.format(number=number, before=store.version, table=store.table, end=end)
    (there / f"{number:04}_next.py").write_text(text)
    monkeypatch.setattr(alembic_steps, "FOLDER", folder)
    return Store(store.name, number, store.table)


def _urls(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> str:
    if kind == "sqlite":
        return f"sqlite:///{tmp_path / 'some.db'}"
    url = str(request.getfixturevalue("server"))
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return url


BOTH = pytest.mark.parametrize(
    "kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)


@BOTH
@pytest.mark.parametrize("store", [LOG, CATALOG], ids=lambda store: store.name)
def test_a_migration_that_is_killed_in_the_middle_leaves_the_old_layout(
    kind: str,
    store: Store,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = _urls(request, tmp_path, kind)
    open_database(url, store).close()
    before = _tables(url)
    newer = _with_next_step(monkeypatch, tmp_path / "steps", store, KILL)
    killed = multiprocessing.get_context("fork").Process(target=open_database, args=(url, newer))
    killed.start()
    killed.join(FOREVER)
    assert killed.exitcode == -signal.SIGKILL
    assert _tables(url) == before
    open_database(url, store).close()
    _with_next_step(monkeypatch, tmp_path / "mended", store)
    open_database(url, newer).close()
    assert {"made_first", "made_last"} < _tables(url).keys()
    assert "more" in _tables(url)[store.table]


def _tables(url: str) -> dict[str, set[str]]:
    engine = sql.create_engine(url)
    look = sql.inspect(engine)
    found = {
        name: {column["name"] for column in look.get_columns(name)}
        for name in look.get_table_names()
    }
    engine.dispose()
    return found


@BOTH
@pytest.mark.parametrize("store", [LOG, CATALOG], ids=lambda store: store.name)
def test_processes_that_open_at_once_migrate_once(
    kind: str,
    store: Store,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next step fails where it is run twice: its tables are there already."""
    url = _urls(request, tmp_path, kind)
    open_database(url, store).close()
    newer = _with_next_step(monkeypatch, tmp_path / "steps", store, "import time; time.sleep(0.3)")
    _open_at_once(url, newer)
    assert {"made_first", "made_last"} < _tables(url).keys()


@BOTH
def test_processes_that_make_a_database_at_once_make_it_once(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = _urls(request, tmp_path, kind)
    _open_at_once(url, STATE)
    _require_declared(url, STATE)


def _open_at_once(url: str, store: Store) -> None:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(4)

    def opened() -> None:
        barrier.wait(FOREVER)
        open_database(url, store).close()
        os._exit(7)

    processes = [context.Process(target=opened) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(FOREVER)
    assert [process.exitcode for process in processes] == [7] * 4


def test_threads_that_open_several_databases_at_once(tmp_path: Path) -> None:
    """Alembic has its operations in a global variable."""
    barrier = threading.Barrier(len(STORES))
    failed: list[Exception] = []

    def opened(store: Store) -> None:
        barrier.wait(FOREVER)
        try:
            open_database(f"sqlite:///{tmp_path / store.name}.db", store).close()
        except Exception as error:  # shown by the test, not by its thread
            failed.append(error)

    threads = [threading.Thread(target=opened, args=(store,)) for store in STORES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(FOREVER)
    assert failed == []
    for store in STORES:
        _require_declared(f"sqlite:///{tmp_path / store.name}.db", store)
