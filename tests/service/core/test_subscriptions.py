"""Subscriptions and definitions over HTTP: created, replaced, paused, refused, broken and mended."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.service.core.asking import Asked, event
from tests.waiting import wait_until
from tocsin.service.storage.schema import PAUSED

CHEAP = {"language": "selector", "expression": "price < 400"}
DEPOT = {"region": "POLYGON((0 0,0 10,10 10,10 0,0 0))"}


def test_created_replaced_listed_and_removed(asked: Asked) -> None:
    made = asked.http.put("/v1/subscriptions/cheap", json=CHEAP)
    assert made.status_code == 201
    assert asked.http.put("/v1/subscriptions/cheap", json=CHEAP).status_code == 200
    got = asked.http.get("/v1/subscriptions/cheap").json()
    assert (got["id"], got["expression"], got["state"]) == ("cheap", "price < 400", "live")
    listed = asked.http.get("/v1/subscriptions").json()["subscriptions"]
    assert [each["id"] for each in listed] == ["cheap"]
    assert asked.http.delete("/v1/subscriptions/cheap").status_code == 204
    for gone in (asked.http.get, asked.http.delete):
        answer = gone("/v1/subscriptions/cheap")
        assert (answer.status_code, answer.json()["code"]) == (404, "UnknownSubscriptionError")


def test_a_wrong_expression_is_told_with_line_column_and_hint(asked: Asked) -> None:
    body = {"language": "selector", "expression": "price <\n  AND kind = 'a'"}
    answer = asked.http.put("/v1/subscriptions/bad", json=body)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert (told["status"], told["line"], told["column"]) == (400, 2, 3)
    assert told["code"] == "SelectorSyntaxError"
    assert told["detail"]
    assert told["hint"]
    assert asked.http.get("/v1/subscriptions").json() == {"subscriptions": []}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "RequestError"),
        (b"[]", "RequestError"),
        (b'{"language": "selector"}', "SubscriptionFormatError"),
        (
            b'{"language": "selector", "expression": "a = 1", "prioritys": 1}',
            "SubscriptionFormatError",
        ),
        (
            b'{"language": "selector", "expression": "a = 1", "paused": "yes"}',
            "SubscriptionFormatError",
        ),
        (
            b'{"language": "selector", "expression": "a = 1", "id": "other"}',
            "SubscriptionFormatError",
        ),
        (b'{"language": "klingon", "expression": "a = 1"}', None),
        (b'{"language": "opsl", "expression": "Nowhere"}', None),
    ],
)
def test_what_is_no_subscription_changes_nothing(
    asked: Asked, body: bytes, code: str | None
) -> None:
    answer = asked.http.put("/v1/subscriptions/x", content=body)
    assert 400 <= answer.status_code < 500
    assert code is None or answer.json()["code"] == code
    assert asked.http.get("/v1/subscriptions").json() == {"subscriptions": []}


@pytest.mark.parametrize("name", ["a::b", "x" * 201])
def test_what_cannot_be_a_name(asked: Asked, name: str) -> None:
    answer = asked.http.put(f"/v1/subscriptions/{name}", json=CHEAP)
    assert answer.json()["code"] == "NameError"


def test_from_the_answer_on_events_ring(asked: Asked) -> None:
    for number in range(20):
        asked.subscribe(f"s{number}", f"price = {number}")
        asked.publish(event(str(number), price=number))
    assert [m["subscription"] for m in asked.matches()] == [f"s{number}" for number in range(20)]


def test_a_paused_one_is_silent_until_it_is_resumed(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400", paused=True)
    asked.publish(event("1", price=1))
    assert asked.matches() == []
    assert asked.http.get("/v1/subscriptions/cheap").json()["state"] == "paused"
    assert asked.http.post("/v1/subscriptions/cheap/resume").json()["state"] == "live"
    asked.publish(event("2", price=1))
    assert [m["events"] for m in asked.matches()] == [["2"]]
    assert asked.http.post("/v1/subscriptions/cheap/pause").json()["paused"] is True
    asked.publish(event("3", price=1))
    assert [m["events"] for m in asked.matches()] == [["2"]]
    assert asked.http.delete("/v1/subscriptions/cheap").status_code == 204
    assert asked.http.post("/v1/subscriptions/cheap/pause").status_code == 404


def test_paused_and_in_the_catalog_is_what_a_crash_leaves_and_is_settled(start: Any) -> None:
    asked = start()
    asked.subscribe("cheap", "price < 400")
    body = json.dumps(asked.service.entries.get("", "cheap").subscription.as_json())
    with asked.service.database.writing() as connection:
        connection.execute(PAUSED.insert().values(subscription="cheap", body=body))
    asked.service.stop()
    again = start()
    assert again.http.get("/v1/subscriptions/cheap").json()["state"] == "paused"
    again.publish(event("1", price=1))
    assert again.matches() == []


def test_there_are_no_more_subscriptions_than_may_be(start: Any) -> None:
    asked = start(limits={"subscriptions": 2})
    asked.subscribe("a", "price < 1")
    asked.subscribe("b", "price < 1", paused=True)
    asked.subscribe("a", "price < 2")
    answer = asked.http.put("/v1/subscriptions/c", json=CHEAP)
    assert (answer.status_code, answer.json()["code"]) == (422, "SubscriptionLimit")


def test_definitions_are_used_by_name_and_have_versions(asked: Asked) -> None:
    assert asked.http.put("/v1/definitions/Depot", json=DEPOT).status_code == 201
    part = {"language": "opsl", "expression": 'STRING: kind = "truck"'}
    assert asked.http.put("/v1/definitions/Truck", json=part).status_code == 201
    asked.subscribe("there", "@(Depot)Truck", "opsl")
    asked.publish(
        event("1", kind="truck") | {"place": "POINT(5 5)"},
        event("2", kind="truck") | {"place": "POINT(50 5)"},
    )
    assert [m["events"] for m in asked.matches()] == [["1"]]
    moved = {"region": "POLYGON((40 0,40 10,60 10,60 0,40 0))"}
    assert asked.http.put("/v1/definitions/Depot", json=moved).status_code == 200
    asked.publish(
        event("3", kind="truck") | {"place": "POINT(5 5)"},
        event("4", kind="truck") | {"place": "POINT(50 5)"},
    )
    assert [m["events"] for m in asked.matches()] == [["1"], ["4"]]
    versions = asked.http.get("/v1/definitions/Depot/versions").json()["versions"]
    assert [each["region"] for each in versions] == [DEPOT["region"], moved["region"]]
    assert versions[0]["version"] < versions[1]["version"]
    assert asked.http.get("/v1/definitions/Depot").json()["region"] == moved["region"]
    assert [each["name"] for each in asked.http.get("/v1/definitions").json()["definitions"]] == [
        "Depot",
        "Truck",
    ]


def test_a_definition_that_is_used_is_removed_only_by_force(asked: Asked) -> None:
    part = {"language": "opsl", "expression": 'STRING: kind = "truck"'}
    asked.http.put("/v1/definitions/Truck", json=part)
    asked.subscribe("trucks", "Truck", "opsl")
    refused = asked.http.delete("/v1/definitions/Truck")
    assert (refused.status_code, refused.json()["code"]) == (409, "BreaksSubscriptions")
    assert "trucks" in refused.json()["detail"]
    assert asked.http.delete("/v1/definitions/Truck?force=true").status_code == 204
    state = wait_until(lambda: _suspended(asked, "trucks"))
    assert state["problem"]["reason"]
    (letter,) = asked.letters(subscription="trucks")
    asked.http.put("/v1/definitions/Truck", json=part)
    asked.publish(event("1", kind="truck"))
    assert [m["events"] for m in asked.matches()] == [["1"]]
    wait_until(lambda: asked.http.get("/v1/subscriptions/trucks").json()["state"] == "live")
    assert letter["code"]


def _suspended(asked: Asked, id: str) -> dict[str, Any] | None:
    told: dict[str, Any] = asked.http.get(f"/v1/subscriptions/{id}").json()
    return told if told["state"] == "suspended" else None


def test_a_wrong_definition_is_refused(asked: Asked) -> None:
    for body in (
        {"region": "POLYGON((0 0,1 1,0 1,1 0,0 0))"},
        {"region": "nowhere"},
        {"language": "opsl", "expression": "!!"},
        {"ontology": "this is no turtle"},
        {"nothing": 1},
    ):
        answer = asked.http.put("/v1/definitions/Bad", json=body)
        assert 400 <= answer.status_code < 500, body
        assert answer.json()["code"]
    assert asked.http.get("/v1/definitions").json() == {"definitions": []}
    assert asked.http.get("/v1/definitions/Bad").status_code == 404
    assert asked.http.delete("/v1/definitions/Bad").status_code == 404


def test_an_ontology_is_a_definition_and_gives_meaning(asked: Asked) -> None:
    turtle = "@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :Laptop rdfs:subClassOf :Computer ."
    assert (
        asked.http.put(
            "/v1/definitions/goods", json={"ontology": turtle, "format": "text/turtle"}
        ).status_code
        == 201
    )
    asked.subscribe("computers", "ASK { _:H a <http://x/Computer> . }", "graph")
    text = "@prefix : <http://x/> . _:H a :Laptop ."
    asked.http.post("/v1/events", content=text, headers={"content-type": "text/turtle"})
    assert [m["subscription"] for m in asked.matches()] == ["computers"]


@pytest.mark.parametrize(
    ("infer", "codes"), [([], []), (["meta-statements"], ["META_UNSATISFIABLE"])]
)
def test_domains_and_ranges_are_meta_statements_where_a_definition_says_so(
    asked: Asked, infer: list[str], codes: list[str]
) -> None:
    turtle = (
        "@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        " :p rdfs:domain :A ; rdfs:range :B ."
    )
    body = {"ontology": turtle, "format": "text/turtle", "infer": infer}
    assert asked.http.put("/v1/definitions/goods", json=body).status_code == 201
    assert asked.http.get("/v1/definitions/goods").json().get("infer", []) == infer
    wrong = {"language": "graph", "expression": "ASK { _:H a :B ; :p ?a . ?a a :A }"}
    told = asked.http.post("/v1/check", json=wrong).json()
    assert [each["code"] for each in told["problems"]] == codes


def test_check_tells_every_problem_and_changes_nothing(asked: Asked) -> None:
    told = asked.http.post(
        "/v1/check", json={"language": "selector", "expression": "price <"}
    ).json()
    assert told["ok"] is False
    assert told["problems"][0]["line"] == 1
    assert asked.http.post("/v1/check", json=CHEAP).json() == {
        "ok": True,
        "problems": [],
        "warnings": [],
    }
    assert asked.http.get("/v1/subscriptions").json() == {"subscriptions": []}


def test_explain_tells_the_plan_and_the_bound(asked: Asked) -> None:
    body = {"language": "opsl", "expression": '=|(STRING: kind = "a"; 6s) STRING: kind = "b"'}
    told = asked.http.post("/v1/explain", json=body).json()
    assert told["plan"]
    assert any("state bound" in line for line in told["summary"])
    answer = asked.http.post("/v1/explain", json={"language": "opsl", "expression": "?"})
    assert answer.status_code == 400


def test_try_looks_at_what_is_stored(start: Any) -> None:
    asked = start(limits={"try_events": 3})
    asked.publish(event("1", price=1), event("2", price=500))
    told = asked.http.post("/v1/try", json=CHEAP | {"last": "1h"}).json()
    assert (told["events"], told["count"], told["is_whole"]) == (2, 1, True)
    assert [m["events"] for m in told["matches"]] == [["1"]]
    asked.publish(event("3", price=1), event("4", price=1))
    told = asked.http.post("/v1/try?last=1h", json=CHEAP | {"limit": 1}).json()
    assert (told["events"], told["count"], told["is_whole"]) == (3, 2, False)
    assert len(told["matches"]) == 1
    assert asked.matches() == []
    for wrong in (
        {"last": "soon"},
        {"last": 5},
        {"limit": -1},
        {"limit": True},
        {"expression": "<"},
    ):
        assert asked.http.post("/v1/try", json=CHEAP | wrong).status_code == 400
