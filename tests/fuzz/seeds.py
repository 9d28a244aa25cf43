"""Good cases to begin with: the scenarios of every language, and events of every content type
beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.fuzz.case import Case
from tests.scenarios.loading import Scenario, scenarios
from tocsin.catalog import Definition

_FILES = ("selector.toml", "opsl.toml", "graph.toml", "concept.toml", "exmlql.toml", "rule.toml")
_TIME = "2026-01-01T08:00:00Z"


@cache
def seeds() -> tuple[Case, ...]:
    """One case for each scenario, and one for each content type with a subscription of each other
    language.
    """
    told = [_of_scenario(each) for file in _FILES for each in scenarios(file)]
    return (*told, *_of_content_types())


@cache
def lines_of_all() -> tuple[str, ...]:
    """Every line of every seed, each once: what a case may borrow from the others."""
    return tuple(dict.fromkeys(line for case in seeds() for line in case.lines))


@cache
def expressions() -> tuple[str, ...]:
    """Every expression of every seed, each once."""
    return tuple(dict.fromkeys(case.subscription["expression"] for case in seeds()))


def _of_scenario(scenario: Scenario) -> Case:
    return Case(
        tuple(each.as_json() for each in scenario.definitions),
        scenario.subscription.as_json(),
        tuple(json.dumps(each, ensure_ascii=False) for each in scenario.events),
    )


def _of_content_types() -> Iterator[Case]:
    bodies = tuple(json.dumps(each, ensure_ascii=False) for each in _events())
    definitions = (
        Definition("vocabulary", ontology=_ONTOLOGY, media_type="text/turtle").as_json(),
    )
    for language, expression, options in _SUBSCRIPTIONS:
        subscription = {
            "id": "s",
            "language": language,
            "expression": expression,
            "options": options,
        }
        yield Case(definitions, subscription, bodies)


def _events() -> Iterator[dict[str, Any]]:
    for number, (kind, data) in enumerate(_BODIES):
        head = {
            "specversion": "1.0",
            "id": f"e{number}",
            "source": "/fuzz",
            "type": "fuzz",
            "time": _TIME,
        }
        yield head | {"datacontenttype": kind, "data": data}


_ONTOLOGY = """@prefix : <http://fuzz.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . :Desk rdfs:subClassOf :Thing . :near a owl:SymmetricProperty ."""

_SUBSCRIPTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("selector", "price > 3 AND (kind LIKE 'a%' OR kind IS NULL) AND NOT (size IN ('s', 'm'))", {}),
    ("selector", "price > 3 AND EXISTS kind AND UPPER(kind) LIKE '%A_'", {"dialect": "cesql"}),
    ("selector", "price % 3 = 1 OR kind IN ('a', size) AND kind != 'z'", {"dialect": "amqp"}),
    ("opsl", "=|($x;;60s)$y; WHERE $x;.price < $y;.price", {}),
    ("opsl", '!(selector{price = 1};1h)STRING: kind = "a"', {}),
    ("rule", "WHEN fuzz(price > 3) x2 WITHIN 5m THEN NO selector{ kind = 'a' } FOR EACH kind", {}),
    ("rule", "WHEN AVG(fuzz.price) > 3 OVER 5m FOR EACH kind, tags[] RING EVERY TIME", {}),
    (
        "rule",
        "WHEN a: fuzz BECOMES price > 3 AND b: fuzz WHERE b.price > a.price * 2 SELECT b.kind",
        {},
    ),
    ("rule", "WHEN fuzz HOLDS NEAR POLYGON((0 0, 3 0, 3 3, 0 0)) 2 FOR 1m HORIZON 2h", {}),
    (
        "graph",
        "PREFIX : <http://fuzz.example/> ASK { ?x a :Desk ; :near ?y . FILTER(?y != ?x) }",
        {},
    ),
    ("concept", "ObjectEvent and exists bizStep.shipping", {}),
    (
        "epcis",
        '{"EQ_bizStep": ["shipping"], "MATCH_epc": ["urn:epc:id:sgtin:0614141.107346.*"]}',
        {},
    ),
    (
        "exmlql",
        "WHERE <order><id>$i</><line no=$n><sku>$s</></></> CONSTRUCT <found><id>$i</><sku>$s</></>",
        {},
    ),
)

_EPCIS = {
    "@context": ["https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"],
    "type": "ObjectEvent",
    "eventTime": "2026-01-01T08:00:00.000+02:00",
    "eventTimeZoneOffset": "+02:00",
    "action": "OBSERVE",
    "bizStep": "shipping",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.2017", "urn:epc:id:sgtin:0614141.107346.2018"],
    "quantityList": [
        {"epcClass": "urn:epc:class:lgtin:4012345.012345.998877", "quantity": 200.5, "uom": "KGM"}
    ],
    "readPoint": {"id": "urn:epc:id:sgln:0614141.00777.0"},
    "sensorElementList": [{"sensorReport": [{"type": "Temperature", "value": 26.0, "uom": "CEL"}]}],
    "ilmd": {"example:lot": "7"},
}
_EPCIS_XML = """<?xml version="1.0"?><epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" schemaVersion="2.0"
 creationDate="2026-01-01T08:00:00Z"><EPCISBody><EventList><ObjectEvent><eventTime>2026-01-01T08:00:00Z</eventTime>
<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList><epc>urn:epc:id:sgtin:0614141.107346.2017</epc></epcList>
<action>ADD</action><bizStep>urn:epcglobal:cbv:bizstep:shipping</bizStep></ObjectEvent></EventList></EPCISBody>
</epcis:EPCISDocument>"""
_TURTLE = """@prefix : <http://fuzz.example/> . _:H a :Desk ; :near [ a :Desk ; :price 3.50 ] ; :name "a"@en ."""
_RDF_XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://fuzz.example/">
<Desk rdf:about="urn:d"><near rdf:resource="urn:e"/><price>3</price></Desk></rdf:RDF>"""
_BODIES: tuple[tuple[str, Any], ...] = (
    (
        "application/json",
        {"price": 4, "kind": "abc", "size": "l", "place": "POINT (1 2)", "tags": ["a", "b"]},
    ),
    (
        "application/json",
        {"order": {"id": 7, "line": [{"no": 1, "sku": "a"}, {"no": 2, "sku": "b"}]}},
    ),
    (
        "application/json",
        {"@id": "urn:a", "@type": "Desk", "near": {"@id": "urn:b", "near": {"@id": "urn:a"}}},
    ),
    (
        "application/ld+json",
        {"@context": {"@vocab": "http://fuzz.example/"}, "@type": "Desk", "near": {"price": 3}},
    ),
    (
        "application/xml",
        "<order a='1'><id>7</id><line no='1'><sku>a</sku></line><!-- c --><![CDATA[x]]></order>",
    ),
    ("text/turtle", _TURTLE),
    (
        "application/n-triples",
        '<urn:a> <http://fuzz.example/near> <urn:b> .\n<urn:b> <urn:p> "x" .\n',
    ),
    ("application/rdf+xml", _RDF_XML),
    ("application/json", _EPCIS),
    (
        "application/ld+json",
        {
            "@context": _EPCIS["@context"],
            "type": "EPCISDocument",
            "epcisBody": {"eventList": [_EPCIS]},
        },
    ),
    ("application/xml", _EPCIS_XML),
    ("text/plain", "only words"),
)
