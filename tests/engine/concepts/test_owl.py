"""OWL 2 files as terminologies: what each construct becomes, what is left out, and events in short
names.
"""

from __future__ import annotations

import pytest

from tests.conftest import shared_data
from tests.engine.concepts.worlds import concept_test, event_of
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Exists,
    ForAll,
    Symbol,
    enumeration,
)
from tocsin.knowledge.concepts.datatypes import datatype
from tocsin.knowledge.concepts.owl import OwlTBox, tbox_of_triples
from tocsin.reference.concepts import holds
from tocsin.values.media_types import TURTLE
from tocsin.values.rdf import read_rdf

NS = "http://example.org/"
PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""


def reading(text: str) -> OwlTBox:
    found = read_rdf(PREFIXES + text, TURTLE)
    return tbox_of_triples(found.triples, found.prefixes)


def symbol(name: str) -> Symbol:
    return Symbol(NS + name)


EXPRESSIONS: list[tuple[str, Concept]] = [
    ("[ owl:intersectionOf (:A :B) ]", Conjunction((symbol("A"), symbol("B")))),
    ("[ owl:unionOf (:A :B) ]", Disjunction((symbol("A"), symbol("B")))),
    ("[ owl:complementOf :A ]", Complement(symbol("A"))),
    (
        "[ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :A ]",
        Exists(NS + "r", symbol("A")),
    ),
    (
        "[ a owl:Restriction ; owl:onProperty :r ; owl:allValuesFrom :A ]",
        ForAll(NS + "r", symbol("A")),
    ),
    (
        "[ a owl:Restriction ; owl:onProperty :r ; owl:hasValue :x ]",
        Exists(NS + "r", enumeration((NS + "x",))),
    ),
    (
        "[ a owl:Restriction ; owl:onProperty :r ; owl:hasValue 5 ]",
        Exists(NS + "r", datatype("integer", "=", 5)),
    ),
    ("[ owl:oneOf (:x :y) ]", enumeration((NS + "x", NS + "y"))),
    (
        """[ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:int ;
        owl:withRestrictions ([ xsd:minInclusive 1 ] [ xsd:maxExclusive 9 ]) ] ]""",
        Exists(NS + "r", Conjunction((datatype("int", ">=", 1), datatype("int", "<", 9)))),
    ),
]


@pytest.mark.parametrize(
    ("turtle", "concept"), EXPRESSIONS, ids=[case[0][:40] for case in EXPRESSIONS]
)
def test_expressions(turtle: str, concept: Concept) -> None:
    tbox = reading(f":N owl:equivalentClass {turtle} .").tbox
    assert tbox.expanded(NS + "N") == concept


def test_subclasses_are_specialisations_and_equal_names_are_one() -> None:
    tbox = reading(
        ":Crate rdfs:subClassOf :Container . :Box owl:equivalentClass :Crate . :Cage skos:broader :Box ."
    ).tbox
    assert tbox.resolved("Crate") == NS + "Box"
    assert tbox.expanded(NS + "Cage") == Conjunction(
        tuple(map(symbol, ("Cage*", "Box*", "Container")))
    )


def test_disjoint_classes_exclude_each_other_in_an_open_world() -> None:
    tbox = reading(
        ":Crate rdfs:subClassOf :Container . :Pallet rdfs:subClassOf :Container ; owl:disjointWith :Crate ."
    ).tbox
    pallet, crate = event_of(data={"unit": "Pallet"}), event_of(data={"unit": "Crate"})
    for excluded, event in (("Crate", pallet), ("Pallet", crate)):
        assert holds(concept_test(f"exists unit.(not {excluded})", tbox, "open"), event)


def test_many_disjoint_classes_stay_small() -> None:
    names = [f":C{number}" for number in range(30)]
    classes = "".join(f"{name} a owl:Class ; rdfs:subClassOf :Top . " for name in names)
    tbox = reading(
        f"{classes} [ a owl:AllDisjointClasses ; owl:members ({' '.join(names)}) ] ."
    ).tbox
    event = event_of("C7")
    assert holds(concept_test("Top and not C8 and not C29 and not C0", tbox, "open"), event)


def test_names_may_be_short_in_subscriptions_and_events() -> None:
    tbox = reading(
        ":rail a owl:NamedIndividual . :Land owl:oneOf (:rail :road) ; a owl:Class . :bizStep a owl:ObjectProperty ."
    ).tbox
    test = concept_test("exists bizStep.Land", tbox)
    assert holds(test, event_of(data={"bizStep": "rail"}))
    assert holds(test, event_of(data={NS + "bizStep": NS + "road"}))
    assert not holds(test, event_of(data={"bizStep": "sea"}))


@pytest.mark.parametrize(
    "text",
    [
        ":Land owl:unionOf (:rail :road) .",
        ":Land owl:oneOf (:rail :road) .",
        ":Land owl:equivalentClass [ owl:oneOf (:rail :road) ] .",
        ":Land owl:unionOf (:rail [ owl:oneOf (:road) ]) .",
    ],
)
def test_names_without_a_declaration_mean_what_declared_ones_mean(text: str) -> None:
    test = concept_test("exists bizStep.Land", reading(text).tbox)
    assert holds(test, event_of(data={"bizStep": "rail"}))
    assert holds(test, event_of(data={"bizStep": NS + "rail"}))
    assert not holds(test, event_of(data={"bizStep": "sea"}))


def test_the_value_of_a_restriction_is_known_by_its_short_name() -> None:
    tbox = reading(":Sea owl:equivalentClass [ owl:onProperty :by ; owl:hasValue :ship ] .").tbox
    test = concept_test("Sea", tbox)
    assert holds(test, event_of(data={"by": "ship"}))
    assert not holds(test, event_of(data={"by": "rail"}))


def test_a_string_in_the_range_of_a_role_is_the_individual() -> None:
    tbox = reading(
        ":Act owl:oneOf (:GO :STOP) ; a owl:Class . :GO rdfs:subClassOf :Move . "
        ":act a owl:ObjectProperty ; rdfs:range :Act ."
    ).tbox
    assert holds(concept_test("exists act.{GO}", tbox), event_of(data={"act": "GO"}))


def test_what_the_language_cannot_say_is_left_out_and_told() -> None:
    found = reading(
        ":A rdfs:subClassOf :B , [ a owl:Restriction ; owl:onProperty :r ; owl:cardinality 1 ] ."
        "[ owl:unionOf (:A :B) ] rdfs:subClassOf :C ."
    )
    assert found.tbox.expanded(NS + "A") == Conjunction((symbol("A*"), symbol("B")))
    assert NS + "A" in found.left_out
    assert len(found.left_out) == 2
    assert reading(":A owl:disjointUnionOf (:B :C) .").left_out == (NS + "A",)


def test_what_a_definition_implies_is_no_second_definition() -> None:
    tbox = reading(
        ":Time owl:equivalentClass [ owl:unionOf (:Instant :Interval) ] . :Instant rdfs:subClassOf :Time . "
        ":Interval rdfs:subClassOf :Time . :Time rdfs:subClassOf owl:Thing ."
    ).tbox
    assert tbox.expanded(NS + "Time") == Disjunction((symbol("Instant"), symbol("Interval")))


def test_a_class_may_be_defined_and_specialised() -> None:
    """What has the definition has the class, and what has the class has what is above it."""
    tbox = reading(":A owl:equivalentClass [ owl:unionOf (:B :D) ] ; rdfs:subClassOf :C .").tbox
    for name, types, expected in (("A", "B", True), ("C", "A", True), ("C", "B", False)):
        assert holds(concept_test(name, tbox), event_of(types)) is expected


def test_a_circle_of_subclasses_leaves_one_step_out() -> None:
    found = reading(":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .")
    assert found.left_out == (NS + "B",)
    assert holds(concept_test("B", found.tbox), event_of("A"))


def test_schema_org_is_a_terminology() -> None:
    text = (shared_data("ontologies") / "schemaorg" / "schemaorg-current-https.nt").read_text()
    tbox = tbox_of_triples(
        read_rdf(text, "application/n-triples").triples, {"": "https://schema.org/"}
    ).tbox
    test = concept_test("exists about.Place", tbox, "open")
    assert holds(test, event_of(data={"about": "Museum"}))
    assert not holds(test, event_of(data={"about": "Person"}))
