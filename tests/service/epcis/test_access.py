"""Who may do what in the EPCIS interface, and what one tenant sees of another."""

from __future__ import annotations

import json

import pytest
from websockets.sync.client import connect

from tests.service.epcis.conftest import document, event, numbers
from tests.service.serving import served
from tests.waiting import PATIENCE

POLYGON = "POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with served(tmp_path_factory.mktemp("guarded"), auth=True) as found:
        yield found


def bearer(server, *scopes, tenant=""):
    return {"authorization": f"Bearer {server.service.keys.create(scopes, tenant)}"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "capture"),
        ("GET", "capture"),
        ("GET", ""),
        ("GET", "events"),
        ("GET", "events/x"),
        ("POST", "events"),
        ("GET", "bizSteps"),
        ("GET", "epcs/x/events"),
        ("GET", "queries"),
        ("POST", "queries"),
        ("DELETE", "queries/x"),
        ("GET", "queries/x/events"),
        ("POST", "queries/x/subscriptions"),
        ("DELETE", "queries/x/subscriptions/y"),
    ],
)
def test_without_a_key(guarded, standard, method, path):
    answer = guarded.http.request(method, f"/epcis/{path}")
    assert answer.status_code == 401, answer.text
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    standard.require_problem(answer.json(), "401UnauthorizedRequest")


def test_key_without_the_scope(guarded, standard):
    publisher, subscriber = bearer(guarded, "publish"), bearer(guarded, "subscribe")
    refused = [
        guarded.http.get("/epcis/events", headers=publisher),
        guarded.http.post("/epcis/capture", json=document(event(1)), headers=subscriber),
    ]
    for answer in refused:
        assert answer.status_code == 403
        standard.require_problem(answer.json(), "403ClientUnauthorized")


def test_tenants_share_events_and_nothing_else(guarded):
    one = bearer(guarded, "publish", "subscribe", tenant="one")
    other = bearer(guarded, "publish", "subscribe", tenant="other")
    captured = guarded.http.post("/epcis/capture", json=document(event(7)), headers=one)
    assert captured.status_code == 202
    assert guarded.http.get(captured.headers["Location"], headers=other).status_code == 404
    assert guarded.http.get("/epcis/capture", headers=other).json() == []
    assert 7 in numbers(guarded.http.get("/epcis/events", headers=other))
    query = {"name": "mine", "query": {"EQ_bizStep": ["shipping"]}}
    assert guarded.http.post("/epcis/queries", json=query, headers=one).status_code == 201
    assert guarded.http.get("/epcis/queries/mine", headers=other).status_code == 404
    assert guarded.http.delete("/epcis/queries/mine", headers=other).status_code == 404
    assert guarded.http.post("/epcis/queries", json=query, headers=other).status_code == 201


def test_query_is_read_by_the_definitions_of_its_tenant(guarded):
    keys = {name: bearer(guarded, "subscribe", tenant=name) for name in ("acme", "brand")}
    put = guarded.http.put("/v1/definitions/Here", json={"region": POLYGON}, headers=keys["acme"])
    assert put.status_code == 201, put.text
    query = {"name": "here", "query": {"language": "opsl", "expression": "@(Here)(ARITH: a = 1)"}}
    answers = {
        name: guarded.http.post("/epcis/queries", json=query, headers=key)
        for name, key in keys.items()
    }
    assert answers["acme"].status_code == 201, answers["acme"].text
    assert answers["brand"].status_code == 400


def test_web_socket_needs_a_key(guarded):
    url = f"ws://127.0.0.1:{guarded.port}/epcis/queries/x/events?stream=true"
    with connect(url, open_timeout=PATIENCE) as socket:
        assert json.loads(socket.recv(PATIENCE))["code"] == "KeyMissing"
