"""The words of events and of ontologies, for somebody who writes a subscription."""

from __future__ import annotations

from typing import Any

from tests.service.core.asking import Asked, event
from tests.service.core.conftest import Start

GOODS = """@prefix : <http://shop.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Laptop rdfs:subClassOf :Computer .
:Computer rdfs:subClassOf :Goods .
:Phone rdfs:subClassOf :Goods ."""
STEPS = "transporting := shipping or landCarrying; landCarrying = {railCarrying, roadCarrying};"
SHOP = "http://shop.example/"


def _define(asked: Asked, name: str, **body: Any) -> None:
    answer = asked.http.put(f"/v1/definitions/{name}", json=body)
    assert answer.status_code == 201, answer.text


def test_attributes_are_told_with_types_counts_and_examples(asked: Asked) -> None:
    _define(asked, "Depot", region="POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))")
    asked.publish(
        event("1", price=3, item={"name": "pen", "in stock": True}),
        event("2", price=3.5, tags=["a", "b"]),
        *(event(f"many{n}", price=f"text {n}") for n in range(9)),
        event("none", price=None),
    )
    told = asked.http.get("/v1/attributes").json()
    by_path = {each["path"]: each for each in told["attributes"]}
    price = by_path["price"]
    assert (price["types"], price["count"]) == (["number", "string"], 11)
    assert price["examples"] == [3, 3.5, "text 0", "text 1", "text 2"]
    assert by_path["item.name"]["examples"] == ["pen"]
    assert by_path["`item`.`in stock`"]["types"] == ["boolean"]
    assert (by_path["tags"]["types"], by_path["tags"]["examples"]) == (["list"], [])
    assert by_path["ce_type"] == {
        "path": "ce_type",
        "types": ["string"],
        "count": 12,
        "examples": ["offer"],
    }
    assert told["definitions"] == ["Depot"]
    assert told["attributes"][0]["count"] == 12


def test_an_attribute_that_is_told_can_be_subscribed_to(asked: Asked) -> None:
    asked.publish(event("1", item={"in stock": True}))
    paths = [each["path"] for each in asked.http.get("/v1/attributes").json()["attributes"]]
    for path in paths:
        body = {"language": "selector", "expression": f"{path} IS NOT NULL"}
        assert asked.http.post("/v1/check", json=body).json()["ok"], path


def test_only_the_last_events_are_looked_at(asked: Asked) -> None:
    asked.publish(event("old", before=1), *(event(str(n), now=1) for n in range(1_000)))
    told = {each["path"]: each for each in asked.http.get("/v1/attributes").json()["attributes"]}
    assert (told["now"]["count"], "before" in told) == (1_000, False)


def test_the_classes_are_a_tree_with_events_and_subscriptions(asked: Asked) -> None:
    _define(asked, "goods", ontology=GOODS)
    asked.subscribe("computers", f"ASK {{ _:H a <{SHOP}Computer> . }}", "graph")
    asked.subscribe("laptops", f"ASK {{ _:H a <{SHOP}Laptop> . }}", "graph")
    turtle = {"content-type": "text/turtle"}
    for text in ("_:H a :Laptop .", "_:H a :Computer .", "_:H a :Other ."):
        body = f"@prefix : <{SHOP}> . {text}"
        assert asked.http.post("/v1/events", content=body, headers=turtle).status_code == 202
    told = {each["iri"]: each for each in asked.http.get("/v1/knowledge").json()}
    assert set(told) == {f"{SHOP}{name}" for name in ("Laptop", "Computer", "Goods", "Phone")}
    laptop, computer, goods, phone = (
        told[f"{SHOP}{name}"] for name in ("Laptop", "Computer", "Goods", "Phone")
    )
    assert (laptop["label"], laptop["parents"]) == ("Laptop", [f"{SHOP}Computer"])
    assert (laptop["events"], laptop["subscriptions"]) == (1, 1)
    assert (computer["events"], computer["subscriptions"]) == (2, 1)
    assert (goods["events"], goods["subscriptions"], goods["parents"]) == (2, 0, [])
    assert (phone["events"], phone["subscriptions"]) == (0, 0)
    terms = asked.http.get("/v1/attributes").json()["terms"]
    assert {"iri": f"{SHOP}Laptop", "label": "Laptop"} in terms


def test_concepts_are_a_tree_too(asked: Asked) -> None:
    _define(asked, "steps", ontology=STEPS, format="text/x-tbox")
    asked.subscribe("moving", "TransactionEvent and exists bizStep.transporting", "concept")
    asked.publish(event("1", bizStep="railCarrying"), event("2", bizStep="shipping"), event("3"))
    told = {each["iri"]: each for each in asked.http.get("/v1/knowledge").json()}
    assert told["railCarrying"]["parents"] == ["landCarrying"]
    assert told["landCarrying"]["parents"] == ["transporting"]
    assert [told[name]["events"] for name in ("railCarrying", "landCarrying", "transporting")] == [
        1,
        1,
        2,
    ]
    assert (told["transporting"]["subscriptions"], told["shipping"]["subscriptions"]) == (1, 0)


def test_without_an_ontology_there_is_nothing_to_tell(asked: Asked) -> None:
    asked.publish(event("1", bizStep="railCarrying"))
    assert asked.http.get("/v1/knowledge").json() == []
    assert asked.http.get("/v1/attributes").json()["terms"] == []


def test_a_tenant_sees_its_own_words(start: Start) -> None:
    asked = start(auth=True)
    acme, beta = (
        {"authorization": f"Bearer {asked.service.keys.create(['subscribe'], tenant)}"}
        for tenant in ("acme", "beta")
    )
    answer = asked.http.put("/v1/definitions/goods", json={"ontology": GOODS}, headers=acme)
    assert answer.status_code == 201
    assert len(asked.http.get("/v1/knowledge", headers=acme).json()) == 4
    assert asked.http.get("/v1/attributes", headers=acme).json()["definitions"] == ["goods"]
    assert asked.http.get("/v1/knowledge", headers=beta).json() == []
    assert asked.http.get("/v1/attributes", headers=beta).json()["definitions"] == []
