"""A change that is refused changes nothing, and one that is answered with success is made: for every
change, with a failure at each write in turn, before and after a restart.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql
from fastapi.testclient import TestClient

from tests.database.locks import wait_briefly
from tests.service.core.asking import Asked, event
from tests.waiting import wait_until
from tocsin.service.operations.components import open_service
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import load_settings

OLD, NEW = "http://127.0.0.1:9/old", "http://127.0.0.1:9/new"
SETTINGS: dict[str, Any] = {
    "auth": False,
    "idle": "off",
    "delivery": {"allowed_networks": ["127.0.0.0/8"]},
    "epcis": {"allow": ["127.0.0.0/8"]},
}
QUERY = {"name": "shipped", "query": {"EQ_bizStep": ["shipping"]}}


def _subscription(limit: int, url: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {"language": "selector", "expression": f"price < {limit}"}
    return body if url is None else body | {"deliver": {"webhook": url}}


def _depot(edge: int) -> dict[str, Any]:
    return {"region": f"POLYGON((0 0,0 10,{edge} 10,{edge} 0,0 0))"}


Send = Callable[[TestClient], Any]


def _unsubscribe_query(http: TestClient) -> Any:
    made = http.get("/epcis/queries/shipped/subscriptions").json()
    return http.delete(f"/epcis/queries/shipped/subscriptions/{made[0]['subscriptionID']}")


CHANGES: dict[str, Send] = {
    "put new": lambda http: http.put("/v1/subscriptions/new", json=_subscription(5, NEW)),
    "put new paused": lambda http: http.put(
        "/v1/subscriptions/new", json=_subscription(5, NEW) | {"paused": True}
    ),
    "replace": lambda http: http.put("/v1/subscriptions/live", json=_subscription(5, NEW)),
    "replace without delivery": lambda http: http.put(
        "/v1/subscriptions/live", json=_subscription(5, None)
    ),
    "replace paused": lambda http: http.put("/v1/subscriptions/held", json=_subscription(5, NEW)),
    "delete": lambda http: http.delete("/v1/subscriptions/live"),
    "delete paused": lambda http: http.delete("/v1/subscriptions/held"),
    "pause": lambda http: http.post("/v1/subscriptions/live/pause"),
    "resume": lambda http: http.post("/v1/subscriptions/held/resume"),
    "define": lambda http: http.put("/v1/definitions/Other", json=_depot(3)),
    "redefine": lambda http: http.put("/v1/definitions/Depot", json=_depot(20)),
    "undefine": lambda http: http.delete("/v1/definitions/Depot?force=true"),
    "query": lambda http: http.post("/epcis/queries", json=QUERY | {"name": "other"}),
    "drop query": lambda http: http.delete("/epcis/queries/shipped"),
    "subscribe to query": lambda http: http.post(
        "/epcis/queries/shipped/subscriptions", json={"dest": NEW, "stream": True}
    ),
    "unsubscribe from query": _unsubscribe_query,
}


@dataclass
class Fault:
    """The commit of a request that fails, counted from 0; None for none."""

    at: int | None = None
    seen: int = 0

    def commit(self, connection: sql.Connection) -> None:
        if threading.current_thread().name.startswith(("tocsin", "delivery")):
            return  # what runs beside the requests
        if connection.get_execution_options().get("reads"):
            return
        self.seen += 1
        if self.seen - 1 == self.at:
            original = sqlite3.OperationalError("database or disk is full")
            raise sql.exc.OperationalError("COMMIT", None, original)


@contextmanager
def _faulty(at: int | None) -> Iterator[Fault]:
    fault = Fault(at)
    sql.event.listen(sql.Engine, "commit", fault.commit)
    try:
        yield fault
    finally:
        sql.event.remove(sql.Engine, "commit", fault.commit)


@contextmanager
def _opened(folder: Path) -> Iterator[Asked]:
    service = open_service(load_settings(data=folder, **SETTINGS))
    service.start()
    try:
        client = TestClient(
            open_app(service), base_url="http://127.0.0.1", raise_server_exceptions=False
        )
        yield Asked(service, client)
    finally:
        service.stop()


def _prepare(asked: Asked) -> None:
    http = asked.http
    answers = [
        http.put("/v1/subscriptions/live", json=_subscription(2, OLD)),
        http.put("/v1/subscriptions/held", json=_subscription(2, OLD) | {"paused": True}),
        http.put("/v1/definitions/Depot", json=_depot(10)),
        http.put(
            "/v1/subscriptions/there",
            json={"language": "opsl", "expression": "@(Depot)(ARITH: price > 0)"},
        ),
        http.post("/epcis/queries", json=QUERY),
        http.post("/epcis/queries/shipped/subscriptions", json={"dest": OLD, "stream": True}),
    ]
    assert [answer.status_code for answer in answers] == [201] * len(answers), answers


def _reads(asked: Asked) -> dict[str, Any]:
    """What the service says of all that can be changed, once its runner has the newest version."""
    http = asked.http
    newest = asked.service.catalog.version()
    wait_until(lambda: asked.service.runner.inspect(lambda hub: hub.version).result() == newest)
    asked.settle()
    found: dict[str, Any] = {}
    for each in http.get("/v1/subscriptions").json()["subscriptions"]:
        line = http.get(f"/v1/subscriptions/{each['id']}/delivery").json()
        assert http.get(f"/v1/subscriptions/{each['id']}").json() == each
        how = (line["deliver"], line["state"] == "paused") if "deliver" in line else line["code"]
        found[each["id"]] = (each["expression"], each["state"], how)
    found["definitions"] = http.get("/v1/definitions").json()["definitions"]
    for query in http.get("/epcis/queries").json():
        told = http.get(f"/epcis/queries/{query['name']}/subscriptions").json()
        found[f"query {query['name']}"] = sorted(each["dest"] for each in told)
    return found


def _rings(asked: Asked, number: int) -> set[str]:
    """Which subscriptions ring for an event that nothing but `held` would leave out."""
    made = event(f"e{number}", price=1) | {"place": "POINT(15 5)"}
    asked.publish(made)
    return {each["subscription"] for each in asked.matches() if each["events"] == [f"e{number}"]}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Any, int]]:
    """What each change leaves behind, and in how many commits, where nothing fails."""
    found: dict[str, tuple[Any, Any, int]] = {}
    for name, send in CHANGES.items():
        with _opened(tmp_path_factory.mktemp("data")) as asked:
            _prepare(asked)
            with _faulty(None) as fault:
                answer = send(asked.http)
            assert answer.status_code < 300, (name, answer.text)
            found[name] = (_reads(asked), _rings(asked, 1), fault.seen)
            assert fault.seen, name
    return found


@pytest.mark.parametrize("name", CHANGES)
def test_a_failure_at_any_write_refuses_the_whole_change_or_none(
    name: str, expected: dict[str, tuple[Any, Any, int]], tmp_path: Path
) -> None:
    reads, rings, commits = expected[name]
    for at in range(commits):
        with _opened(tmp_path / str(at)) as asked:
            _prepare(asked)
            before = _reads(asked), _rings(asked, 0)
            with _faulty(at):
                answer = CHANGES[name](asked.http)
            assert answer.status_code < 300 or answer.status_code == 503, answer.text
            wanted = (reads, rings) if answer.status_code < 300 else before
            assert (_reads(asked), _rings(asked, 1)) == wanted
        with _opened(tmp_path / str(at)) as again:
            assert (_reads(again), _rings(again, 2)) == wanted


@pytest.mark.parametrize(
    "name", [name for name in CHANGES if "query" not in name and name != "put new paused"]
)
def test_a_locked_catalog_refuses_and_nothing_changes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _opened(tmp_path) as asked:
        _prepare(asked)
        before = _reads(asked), _rings(asked, 0)
        wait_briefly(monkeypatch)
        other = sqlite3.connect(tmp_path / "catalog.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = CHANGES[name](asked.http)
        assert (answer.status_code, answer.json()["code"]) == (503, "CatalogLocked")
        assert (_reads(asked), _rings(asked, 1)) == before
        other.execute("ROLLBACK")
        other.close()
        assert (_reads(asked), _rings(asked, 2)) == before
    with _opened(tmp_path) as again:
        assert (_reads(again), _rings(again, 3)) == before
