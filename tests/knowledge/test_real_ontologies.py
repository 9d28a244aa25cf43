"""Ontologies of others load whole, and a subscription near a root rings for an event far
below it.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from tests.builders import build_event
from tests.conftest import shared_data
from tocsin.events.event import Event
from tocsin.knowledge.loading import load_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.warnings import warnings_in
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.reference.graphs import holds
from tocsin.values.rdf import EXTENSIONS

SCHEMA = "https://schema.org/"
TIME = "http://www.w3.org/2006/time#"
GOOD = "http://purl.org/goodrelations/v1#"
IOF = "https://spec.industrialontologies.org/ontology/construct/"


@cache
def loaded(folder: str, *, domain_and_range: bool = False) -> Ontology:
    paths = sorted(
        path for path in shared_data(f"ontologies/{folder}").rglob("*") if path.suffix in EXTENSIONS
    )
    assert paths
    return load_ontology(paths, domain_and_range=domain_and_range)


@pytest.mark.parametrize(
    ("folder", "low", "high", "classes", "properties"),
    [
        ("schemaorg", SCHEMA + "Dentist", SCHEMA + "Thing", 900, 1_400),
        ("goodrelations", GOOD + "Individual", GOOD + "ProductOrService", 30, 80),
        ("owl-time", TIME + "DateTimeInterval", TIME + "TemporalEntity", 15, 50),
        ("iof", IOF + "FreightForwarderRole", IOF + "AgentRole", 200, 100),
    ],
)
@pytest.mark.parametrize("domain_and_range", [False, True])
def test_it_loads(
    folder: str, low: str, high: str, classes: int, properties: int, domain_and_range: bool
) -> None:
    ontology = loaded(folder, domain_and_range=domain_and_range)
    assert len(ontology.classes) >= classes
    assert len(ontology.properties) >= properties
    assert high in ontology.superclasses(low)
    assert low in ontology.subclasses(high)
    assert bool(ontology.meta_statements) == domain_and_range


def test_a_class_of_schema_org_has_several_parents() -> None:
    ontology = loaded("schemaorg")
    above = ontology.superclasses(SCHEMA + "Dentist")
    assert {
        SCHEMA + "MedicalBusiness",
        SCHEMA + "MedicalOrganization",
        SCHEMA + "LocalBusiness",
    } <= above


DENTIST = f"""
@prefix s: <{SCHEMA}> .
_:H a s:OrderAction ; s:seller _:d . _:d a s:Dentist ; s:name "Dr. Who" .
"""


@pytest.mark.parametrize("domain_and_range", [False, True])
@pytest.mark.parametrize(
    ("text", "rings"),
    [
        ("(_:H, ?1, (Action, seller, Organization))", True),
        ("(_:H, ?1, (schema:Thing, schema:seller, schema:Thing))", True),
        ("(_:H, ?1, (Action, participant, LocalBusiness))", True),
        ("(_:H, ?1, (Action, seller, Person))", False),
        ("(_:H, ?1, (SellAction, seller, Organization))", False),
        ('ASK { _:H :seller ?1 . ?1 a :Place ; :name ?2 FILTER(?2 =~ "^Dr") }', True),
    ],
)
def test_near_the_root_of_schema_org(text: str, rings: bool, domain_and_range: bool) -> None:
    prefixes = f"PREFIX schema: <{SCHEMA}> " + (f"PREFIX : <{SCHEMA}> " if "ASK" in text else "")
    ontology = loaded("schemaorg", domain_and_range=domain_and_range)
    pattern = parse_subscription("graph", prefixes + text, {}, Context(ontology=ontology)).pattern
    assert isinstance(pattern, GraphPattern)
    assert holds(pattern, _event(DENTIST)) is rings


def test_five_levels_below_the_root() -> None:
    ontology = loaded("schemaorg")
    levels = ["Dentist", "MedicalBusiness", "LocalBusiness", "Organization", "Thing"]
    for low, high in pairwise(levels):
        assert SCHEMA + high in ontology.class_order.parents[SCHEMA + low]


def test_an_event_outside_of_the_ontology_is_warned_of() -> None:
    ontology = loaded("schemaorg")
    graph = _event(f"<urn:ops:H> a <{SCHEMA}Gizmo> ; <{SCHEMA}gizmo> 1 .").graph
    assert [each.code for each in warnings_in(ontology, graph.arcs, graph.types)] == [
        "UNKNOWN_CLASS",
        "UNKNOWN_PROPERTY",
    ]


def _event(turtle: str) -> Event:
    return build_event(content_type="text/turtle", data=turtle)
