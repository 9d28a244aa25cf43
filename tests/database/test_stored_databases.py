"""A service on databases of the last release without versions: they are upgraded, and all that they
hold is served.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.database.stored import FILES, write_file, write_folder, write_postgres
from tests.service.serving import Served, served
from tests.waiting import wait_until
from tocsin.database.database import stored_version
from tocsin.database.stores import EPCIS, STORES
from tocsin.errors import StateProblem
from tocsin.service.federation.store import LinkStore
from tocsin.service.operations.components import open_service
from tocsin.service.operations.postgres_migration import migrate_data
from tocsin.service.settings.settings import load_settings

OPTIONS: dict[str, Any] = {
    "delivery": {"allowed_networks": ["127.0.0.0/8"]},
    "lateness": "0s",
    "retention": {"events": "", "matches": "", "dead_letters": ""},
}
MATCHES = [("cheap", "0"), ("cheap", "1"), ("sent", "1"), ("cheap", "3")]
BATCH = {"Content-Type": "application/cloudevents-batch+json"}


@pytest.fixture
def server(postgres_url: str) -> str:
    return postgres_url


@pytest.mark.quick
def test_a_stored_folder_is_upgraded_and_served(tmp_path: Path) -> None:
    write_folder(tmp_path / "data")
    with served(tmp_path / "data", **OPTIONS) as up:
        _require_all(up)
    _require_versions([f"sqlite:///{tmp_path / 'data' / name}.db" for name in FILES])
    with served(tmp_path / "data", **OPTIONS) as up:
        assert _matches(up)[:4] == MATCHES


@pytest.mark.postgres
def test_a_stored_database_of_postgresql_is_upgraded_and_served(
    tmp_path: Path, server: str
) -> None:
    write_postgres(server)
    with served(tmp_path / "data", database=server, **OPTIONS) as up:
        _require_all(up)
    _require_versions([server])


@pytest.mark.postgres
def test_a_stored_folder_is_upgraded_and_moved_to_postgresql(tmp_path: Path, server: str) -> None:
    folder = tmp_path / "data"
    write_folder(folder)
    with closing(sqlite3.connect(folder / "delivery.db")) as connection:
        connection.execute("ALTER TABLE tocsin_deliveries DROP COLUMN since")
        connection.commit()
    with closing(sqlite3.connect(folder / "epcis.db")) as connection:
        connection.execute("DROP TABLE epcis_schema")
        connection.commit()
    counts = migrate_data(folder, server)
    assert (counts["tocsin_events"], counts["epcis_events"], counts["federation_name"]) == (7, 2, 1)
    assert not any(name.startswith("tocsin_schema") for name in counts)
    _require_versions([server])
    with served(tmp_path / "other", database=server, **OPTIONS) as up:
        _require_all(up)


@pytest.mark.parametrize("name", FILES)
def test_a_folder_with_one_newer_file_is_refused_before_any_file_is_changed(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    write_folder(folder)
    with closing(sqlite3.connect(folder / f"{name}.db")) as connection:
        connection.execute(f"CREATE TABLE tocsin_schema_{name} (version_num VARCHAR(32) NOT NULL)")
        connection.execute(f"INSERT INTO tocsin_schema_{name} VALUES ('0042')")
        connection.commit()
    before = {path.name: path.read_bytes() for path in folder.glob("*.db")}
    with pytest.raises(
        StateProblem, match=rf"{name} at .*{name}\.db has tables of version 42"
    ) as no:
        open_service(load_settings(data=folder, auth=False))
    assert no.value.code == "StorageNewer"
    assert {path.name: path.read_bytes() for path in folder.glob("*.db")} == before


def test_a_file_of_the_index_without_a_version_of_its_keys_is_upgraded(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write_folder(folder)
    (folder / "epcis.db").unlink()
    write_file(folder / "epcis.db", "DROP TABLE epcis_schema")
    with served(folder, **OPTIONS) as up:
        assert _epcis_ids(up) == {"urn:uuid:1", "urn:uuid:2"}
    _require_versions([f"sqlite:///{folder / 'epcis.db'}"], EPCIS.name)


def _require_all(up: Served) -> None:
    """Everything is there, and the service goes on with it."""
    http, service = up.http, up.service
    _require_catalog(up)
    assert _matches(up) == MATCHES
    assert service.log.head == 7
    assert [each["event"]["id"] for each in http.get("/v1/events").json()["events"]][:4] == list(
        "0123"
    )
    (letter,) = http.get("/v1/dead-letters").json()["dead_letters"]
    assert (letter["code"], letter["event"]) == ("InvalidEventError", 5)
    line = http.get("/v1/subscriptions/sent/delivery").json()
    assert line["deliver"] == {"webhook": "http://127.0.0.1:9/none"}
    assert _epcis_ids(up) == {"urn:uuid:1", "urn:uuid:2"}
    (query,) = http.get("/epcis/queries").json()
    assert query["name"] == "shipped"
    (key,) = service.keys.list_all()
    assert key.scopes == {"publish"}
    links = LinkStore(service.database)
    assert (links.name(""), links.cursor("http://up.example", "above")) == ("old", 5)
    new = [_offer("n", 1), _offer("m", 2)]
    assert http.post("/v1/events", json=new, headers=BATCH).status_code == 202
    wait_until(lambda: len(_matches(up)) >= 7)
    assert sorted(_matches(up)[4:]) == [("cheap", "m"), ("cheap", "n"), ("pair", "n m")]


def _offer(id: str, price: int) -> dict[str, Any]:
    """An event after all those that are stored."""
    name = {"specversion": "1.0", "id": id, "source": "shop", "type": "offer"}
    return {**name, "time": f"2026-02-01T08:0{price}:00Z", "data": {"price": price}}


def _require_catalog(up: Served) -> None:
    catalog = up.service.catalog
    held = catalog.snapshot()
    assert {each.id for each in held.subscriptions} == {"cheap", "pair", "sent"}
    assert all(each.stored is not None for each in held.subscriptions)
    assert [each.id for each in held.paused] == ["resting"]
    assert [each.name for each in held.definitions] == ["dock"]
    assert [each.version for each in catalog.placed(0)] == list(range(1, held.version + 1))


def _matches(up: Served) -> list[tuple[str, str]]:
    found = up.http.get("/v1/matches").json()["matches"]
    return [(each["subscription"], " ".join(each["events"])) for each in found]


def _epcis_ids(up: Served) -> set[str]:
    body = up.http.get("/epcis/events").json()["epcisBody"]
    return {each["eventID"] for each in body["queryResults"]["resultsBody"]["eventList"]}


def _require_versions(urls: list[str], *names: str) -> None:
    """Every store is of its newest version, wherever it is."""
    found: dict[str, int] = {}
    for url in urls:
        engine = sql.create_engine(url)
        with engine.connect() as connection:
            known = {store.name: stored_version(connection, store) for store in STORES}
        found |= {name: version for name, version in known.items() if version}
        engine.dispose()
    wanted = {store.name: store.version for store in STORES if not names or store.name in names}
    assert found == wanted
