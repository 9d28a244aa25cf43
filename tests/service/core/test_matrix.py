"""Every address, scope and tenant: no key does more than its scopes say, and nothing that belongs to
one tenant is read, changed or removed by another, whatever the spelling of its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import httpx
import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from tests.service.core.asking import Asked, event
from tests.service.core.matrix import (
    EPCIS_EVENT,
    JSON,
    SUBSCRIPTION,
    TABLE,
    WEBSOCKET,
    Key,
    Operation,
    operations_of,
)
from tests.service.core.spellings import path_segments_of, spellings_of
from tests.waiting import wait_until
from tocsin.service.operations.components import open_service
from tocsin.service.operations.server import open_app
from tocsin.service.settings.settings import load_settings

OWNER, OTHERS = "acme", ("beta", "")
ALIKE = "ACME"
"""A tenant whose name differs from the owner's by case only."""

EMPTY = "empty"
"""A tenant that has nothing at first."""

SCOPES = ("publish", "subscribe", "admin")
NAME = "wanted-\u00e9"
"""What the owner calls everything; it has two forms in Unicode."""

SECRET, PLACE = "zebra", "0.73319"
"""Words of the owner's expressions and definitions, which no other tenant ever says."""

BATCH = {"content-type": "application/cloudevents-batch+json"}
OPERATIONS = sorted(TABLE)
HTTP = [key for key in OPERATIONS if key[0] != WEBSOCKET]
SOCKETS = [key for key in OPERATIONS if key[0] == WEBSOCKET]
OWNED = {"subscription", "definition", "query", "query subscription", "match", "capture job"}
OWNED |= {"dead letter"}
OWNED_SOCKETS = [key for key in SOCKETS if TABLE[key].names]
REVEALING = [key for key in HTTP if TABLE[key].reveals]


@dataclass
class Tenants:
    """A service with the things of one tenant, and keys of several."""

    asked: Asked
    keys: dict[tuple[str, str], str]
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    private: frozenset[str] = frozenset()
    before: dict[str, Any] = field(default_factory=dict)

    def headers(self, tenant: str, scope: str | None) -> dict[str, str]:
        """The headers of a key with one scope; none without a scope."""
        return {} if scope is None else {"Authorization": f"Bearer {self.keys[tenant, scope]}"}

    def send(
        self, key: Key, headers: dict[str, str], segments: tuple[str, ...], name: str
    ) -> httpx.Response:
        """A request to an address whose parameters are path segments, about a name."""
        operation = TABLE[key]
        body = None if operation.body is None else json.dumps(operation.body(name)).encode()
        return self.asked.http.request(
            key[0],
            filled(key[1], segments),
            params=None if operation.query is None else operation.query(name),
            content=body,
            headers={**headers, **dict(operation.headers)},
        )

    def kept(self) -> dict[str, Any]:
        """Everything that the owner has, as the owner reads it."""
        name = quote(NAME)
        return {
            path: self.asked.http.get(path, headers=self.headers(OWNER, "admin")).json()
            for path in (
                "/v1/subscriptions",
                "/v1/definitions",
                *(f"/v1/definitions/{each}/versions" for each in (name, "Part", "Words")),
                *("/v1/matches", "/v1/dead-letters"),
                *(f"/v1/subscriptions/{name}/{each}" for each in ("delivery", "secret")),
                *("/epcis/capture", "/epcis/queries", f"/epcis/queries/{name}/subscriptions"),
            )
        }


def filled(path: str, segments: tuple[str, ...]) -> str:
    """A path with its parameters replaced, the last segment for all that are left."""
    given = list(segments) or ["absent"]
    while "{" in path:
        before, _, rest = path.partition("{")
        path = f"{before}{given.pop(0) if len(given) > 1 else given[0]}{rest.partition('}')[2]}"
    return path


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    folder: Path = tmp_path_factory.mktemp("tenants")
    settings = {
        "data": folder / "data",
        "delivery": {"files": folder / "files"},
        "epcis": {"allow": ["127.0.0.0/8"]},
    }
    service = open_service(load_settings(**settings))
    service.start()
    asked = Asked(service, TestClient(open_app(service), raise_server_exceptions=False))
    keys = {
        (tenant, scope): service.keys.create([scope], tenant)
        for tenant in (OWNER, *OTHERS, ALIKE, EMPTY)
        for scope in SCOPES
    }
    found = Tenants(asked, keys)
    try:
        _fill(found)
        yield found
    finally:
        service.stop()


def _fill(tenants: Tenants) -> None:
    http, own = tenants.asked.http, tenants.headers(OWNER, "admin")
    name = quote(NAME)

    def put(path: str, body: dict[str, Any]) -> None:
        answer = http.put(path, json=body, headers=own)
        assert answer.status_code == 201, answer.text

    put(f"/v1/definitions/{name}", {"region": f"POLYGON((0 0, {PLACE} 0, 1 1, 0 1, 0 0))"})
    put("/v1/definitions/Part", {"language": "opsl", "expression": f'STRING: kind = "{SECRET}"'})
    words = f"@prefix : <http://x.example/> . :{SECRET} a <http://www.w3.org/2000/01/rdf-schema#Class> ."
    put("/v1/definitions/Words", {"ontology": words})
    rule = f"WHEN order({SECRET} IS NULL) THEN payment WITHIN 1h FOR EACH customer"
    put("/v1/subscriptions/both", {"language": "rule", "expression": rule})
    cheap = f"price < 400 AND {SECRET} IS NULL"
    body = {"language": "selector", "expression": cheap, "deliver": {"file": SECRET}}
    put(f"/v1/subscriptions/{name}", body)
    answer = http.post(
        "/v1/events", json=[event("1", price=5), {"id": SECRET}], headers=BATCH | own
    )
    assert answer.json()["accepted"] == 1
    job = http.post("/epcis/capture", json=EPCIS_EVENT, headers={**own, **dict(JSON)})
    query = {"name": NAME, "query": {"EQ_eventID": [f"urn:{SECRET}:1"]}}
    assert http.post("/epcis/queries", json=query, headers=own).status_code == 201
    leg = http.post(
        f"/epcis/queries/{name}/subscriptions",
        json={"dest": f"http://127.0.0.1:9/{SECRET}", "stream": True},
        headers=own,
    ).json()["subscriptionID"]
    tenants.asked.settle()
    (match,) = http.get("/v1/matches", headers=own).json()["matches"]
    (letter,) = http.get("/v1/dead-letters", headers=own).json()["dead_letters"]
    wait_until(lambda: _delivered(http, own, name))
    secret = http.get(f"/v1/subscriptions/{name}/secret", headers=own).json()["secret"]
    tenants.targets = {
        **dict.fromkeys(("subscription", "definition", "query"), (NAME,)),
        "match": (match["id"],),
        "dead letter": (str(letter["id"]),),
        "capture job": (job.headers["location"].rpartition("/")[2],),
        "query subscription": (NAME, leg),
    }
    ids = {each for names in tenants.targets.values() for each in names if len(each) > 4}
    tenants.private = frozenset({SECRET, PLACE, secret, *ids})
    tenants.before = tenants.kept()


def _delivered(http: TestClient, own: dict[str, str], name: str) -> bool:
    told = http.get(f"/v1/subscriptions/{name}/delivery", headers=own).json()
    return bool(told["delivered"] == 1)


def test_every_address_is_classified(tenants: Tenants) -> None:
    found = operations_of(tenants.asked.http.app)  # type: ignore[arg-type]
    assert found - TABLE.keys() == set(), "classify new addresses in tests/service/core/matrix.py"
    assert TABLE.keys() - found == set(), "these addresses are gone"


@pytest.mark.parametrize("key", HTTP, ids="{0[0]} {0[1]}".format)
@pytest.mark.parametrize("tenant", [EMPTY, *OTHERS])
def test_a_key_does_what_its_scope_allows(tenants: Tenants, tenant: str, key: Key) -> None:
    for scope in (None, *SCOPES):
        absent = "999999" if TABLE[key].names == "dead letter" else "absent"
        answer = tenants.send(key, tenants.headers(tenant, scope), (absent,), absent)
        _judge_access(TABLE[key], scope, tenant, answer.status_code, answer.text)
        if answer.status_code >= 400 and answer.content:
            assert answer.headers["content-type"] in (
                "application/problem+json",
                *(("text/html; charset=utf-8",) if key[1] == "/" else ()),
            )


@pytest.mark.parametrize("key", SOCKETS, ids="{0[1]}".format)
@pytest.mark.parametrize("tenant", [EMPTY, *OTHERS])
def test_a_web_socket_allows_what_the_scope_allows(tenants: Tenants, tenant: str, key: Key) -> None:
    for scope in (None, *SCOPES):
        said = _refusal(tenants, key, tenants.headers(tenant, scope), ("absent",), "absent")
        _judge_access(TABLE[key], scope, tenant, said["status"], json.dumps(said))


def _judge_access(
    operation: Operation, scope: str | None, tenant: str, status: int, text: str
) -> None:
    if operation.access.allows(scope, tenant):
        assert status not in (401, 403), text
    else:
        assert status == (401 if scope is None else 403), text
        assert ("KeyMissing" if scope is None else "ScopeMissing") in text


def _refusal(
    tenants: Tenants, key: Key, headers: dict[str, str], segments: tuple[str, ...], name: str
) -> dict[str, Any]:
    """The problem document with which a WebSocket is refused; every request here is one."""
    query = TABLE[key].query
    address = httpx.URL(filled(key[1], segments), params=None if query is None else query(name))
    with tenants.asked.http.websocket_connect(str(address), headers=headers) as socket:
        found: dict[str, Any] = socket.receive_json()
    return found


@pytest.mark.parametrize("key", REVEALING, ids="{0[0]} {0[1]}".format)
def test_the_owner_reads_what_is_its_own(tenants: Tenants, key: Key) -> None:
    """Else the tests below would pass because nothing is there to be read."""
    operation = TABLE[key]
    segments = tuple(map(quote, tenants.targets.get(operation.names, ())))
    name = "Part" if key[1] == "/v1/explain" else NAME
    answer = tenants.send(key, tenants.headers(OWNER, "admin"), segments, name)
    assert answer.status_code == 200, answer.text
    private = {*tenants.private, quote(NAME)} - {*map(quote, segments)}
    assert any(each in answer.text for each in private), answer.text


@pytest.mark.parametrize("key", HTTP, ids="{0[0]} {0[1]}".format)
@pytest.mark.parametrize("tenant", [*OTHERS, ALIKE])
def test_another_tenant_reads_and_changes_nothing(tenants: Tenants, tenant: str, key: Key) -> None:
    headers = tenants.headers(tenant, "admin")
    operation = TABLE[key]
    target = tenants.targets.get(operation.names, ())
    for segments, name in _requests(operation, target, few=tenant == ALIKE):
        answer = tenants.send(key, headers, segments, name)
        assert answer.status_code < 500 or answer.status_code == 501, answer.text
        if operation.names in OWNED and key[0] != "PUT":
            assert 400 <= answer.status_code < 500, (segments, answer.text)
        shown = f"{answer.text} {answer.headers}"
        asked = f"{unquote('/'.join(segments))} {name}"
        seen = {each for each in tenants.private if each in shown and each not in asked}
        assert not seen, (segments, name, shown)
        _remove_own(tenants, key, headers, segments)
    assert tenants.kept() == tenants.before


def _requests(
    operation: Operation, target: tuple[str, ...], *, few: bool
) -> list[tuple[tuple[str, ...], str]]:
    """Return segments of the path and names: every spelling of either that the operation takes, or
    the names as they are where `few` are enough.
    """
    found: list[tuple[tuple[str, ...], str]] = [(tuple(map(quote, target)), NAME)]
    if target and not few:
        first, *rest = target
        found += [((each, *map(quote, rest)), NAME) for each in path_segments_of(OWNER, first)]
    if _takes_name(operation):
        for name in (NAME, "Part"):
            found += [(found[0][0], each) for each in spellings_of(OWNER, name)]
    return found


def _takes_name(operation: Operation) -> bool:
    """True if the body or the parameters of a request name a thing."""
    makers = (operation.body, operation.query)
    return any(make is not None and make("a") != make("b") for make in makers)


def _remove_own(
    tenants: Tenants, key: Key, headers: dict[str, str], segments: tuple[str, ...]
) -> None:
    """Takes away what a caller made for itself under a name that it asked for."""
    if key[0] == "PUT":
        tenants.asked.http.delete(filled(key[1], segments), headers=headers)


@pytest.mark.parametrize("key", OWNED_SOCKETS, ids="{0[1]}".format)
@pytest.mark.parametrize("tenant", OTHERS)
def test_a_web_socket_of_another_tenant_is_refused(tenants: Tenants, tenant: str, key: Key) -> None:
    for segment in path_segments_of(OWNER, NAME):
        try:
            said = _refusal(tenants, key, tenants.headers(tenant, "admin"), (segment,), NAME)
        except WebSocketDisconnect:  # a slash or a line end makes it another address, without one
            assert {"/", "\n"} & set(unquote(unquote(segment)))
        else:
            assert said["status"] == 404, said


def test_one_name_is_a_different_thing_for_each_tenant(tenants: Tenants) -> None:
    path = f"/v1/subscriptions/{quote(NAME)}"
    for number, tenant in enumerate(OTHERS):
        body = {**SUBSCRIPTION, "expression": f"price < -{number + 1}"}
        answer = tenants.asked.http.put(path, json=body, headers=tenants.headers(tenant, "admin"))
        assert answer.status_code == 201, answer.text
    for number, tenant in enumerate(OTHERS):
        headers = tenants.headers(tenant, "admin")
        assert tenants.asked.http.get(path, headers=headers).json()["expression"] == (
            f"price < -{number + 1}"
        )
        assert tenants.asked.http.delete(path, headers=headers).status_code == 204
    assert tenants.kept() == tenants.before
