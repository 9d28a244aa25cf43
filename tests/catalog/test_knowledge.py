"""Ontologies as definitions: merged, built once, and harmless to those who need none."""

from __future__ import annotations

from pathlib import Path

import pytest

import tocsin
from tocsin.catalog import (
    Definition,
    Subscription,
    compile_subscription,
    knowledge_in,
    ontologies,
    problems_of,
)
from tocsin.errors import Problem

CLASSES = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Laptop rdfs:subClassOf :Computer .
:Selling a owl:Class . :target a owl:ObjectProperty .
"""
CYCLE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:A rdfs:subClassOf :B . :B rdfs:subClassOf :A .
"""
SHOP = Definition("shop", ontology=CLASSES, media_type="text/turtle")
WRONG = Definition("wrong", ontology=CYCLE, media_type="text/turtle")
TERMS = Definition(
    "terms", ontology="transporting := shipping or {rail};", media_type="text/x-tbox"
)
COMPUTERS = Subscription("computers", "graph", "(_:H, ?1, (Selling, target, Computer))")


def test_a_definition_survives_its_json() -> None:
    assert Definition.from_json(SHOP.as_json()) == SHOP


def test_equal_texts_are_built_once() -> None:
    assert knowledge_in([SHOP]) is knowledge_in(
        [Definition("shop", ontology=CLASSES, media_type="text/turtle")]
    )
    assert knowledge_in([]) is None


def test_turtle_and_a_tbox_are_known_together() -> None:
    both = (SHOP, TERMS)
    assert problems_of(COMPUTERS, both) == []
    assert problems_of(Subscription("c", "concept", "exists bizStep.transporting"), both) == []
    assert [
        each.code
        for each in problems_of(Subscription("c", "concept", "exists bizStep.flying"), both)
    ] == ["UNKNOWN_NAME"]


def test_a_wrong_ontology_is_told_to_those_who_need_one_only() -> None:
    assert [each.code for each in problems_of(COMPUTERS, (WRONG,))] == ["CLASS_CYCLE"]
    assert problems_of(Subscription("s", "selector", "a = 1"), (WRONG,)) == []
    inside = Subscription(
        "o", "opsl", "graph{(_:H, ?1, (Selling, target, Computer))} && selector{ a = 1 }"
    )
    assert [each.code for each in problems_of(inside, (WRONG,))] == ["CLASS_CYCLE"]
    compile_subscription(
        Subscription("o", "opsl", "selector{ a = 1 } && selector{ a = 2 }"), (WRONG,)
    )


def test_a_hub_reads_files(tmp_path: Path) -> None:
    file = tmp_path / "shop.ttl"
    file.write_text(CLASSES)
    hub = tocsin.Hub(ontology=file)
    hub.subscribe(COMPUTERS.expression, language="graph", id="computers")
    offer = "@prefix : <http://example.org/> . <urn:ops:H> a :Selling ; :target :mine . :mine a :Laptop ."
    event = {"id": "1", "source": "s", "type": "t", "datacontenttype": "text/turtle", "data": offer}
    assert [match.events for match in hub.publish(event)] == [("1",)]
    assert [each.name for each in ontologies([file, TERMS])] == [str(file), "terms"]


@pytest.mark.parametrize("given", ["none.ttl", "shop.docx", 5])
def test_what_is_no_ontology_is_refused(given: object) -> None:
    with pytest.raises(Problem, match="ONTOLOGY_FORMAT"):
        ontologies(given)
