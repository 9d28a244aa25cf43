"""Covering by the ontology: a class covers its subclasses, a property those below it. What is said
is certain by the reference.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.concepts.strategies import concept_tests, tboxes
from tests.engine.concepts.strategies import events as concept_events
from tests.engine.concepts.worlds import concept_test
from tests.engine.graphs.worlds import (
    CLASSES,
    PROPERTIES,
    filters,
    ontologies,
    patterns,
    with_conditions,
    worlds,
)
from tocsin.knowledge.concepts.assertions import World as ConceptWorld
from tocsin.knowledge.concepts.concept import conjunction, disjunction
from tocsin.knowledge.loading import parse_ontology
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import ITSELF, GraphPattern, StatementPattern
from tocsin.reference.atoms import holds
from tocsin.service.federation.covering import EVERYTHING, covers
from tocsin.service.federation.interests import Interest
from tocsin.service.federation.merging import merge_interests
from tocsin.values.terms import Literal

ONTOLOGY = parse_ontology("""
@prefix : <http://shop.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Laptop rdfs:subClassOf :Computer . :Computer rdfs:subClassOf :Product . :Notebook owl:equivalentClass :Laptop .
:Auction rdfs:subClassOf :Selling . :Person rdfs:subClassOf owl:Thing .
:mainTarget rdfs:subPropertyOf :target . :bidder a owl:ObjectProperty . :seller a owl:ObjectProperty .
:price rdfs:range xsd:decimal . :knows a owl:ObjectProperty .
""")


def graph(text: str, **options: object) -> GraphPattern:
    pattern = parse_subscription("graph", text, options, Context(ontology=ONTOLOGY)).pattern
    assert isinstance(pattern, GraphPattern)
    return pattern


SALE = "(_:H, ?1, (Selling, target, {}))"
PRICE = "(_:H, ?1, (Selling, price, {}), ?1 {})"
ONE_BIDDER = "(_:H,?1,(Selling,bidder,Person)) NOT EXISTS {{ (_:H,?{0},(Selling,bidder,Person)) }}"
COVERED = [
    (SALE.format("Computer"), SALE.format("Laptop")),
    (SALE.format("owl:Thing"), SALE.format("Laptop")),
    (SALE.format("Laptop"), SALE.format("Notebook")),
    (SALE.format("Computer"), "(_:H, ?1, (Selling, mainTarget, Computer))"),
    (SALE.format("Computer"), "(_:H, ?x, (Auction, target, Laptop))"),
    (SALE.format("Computer"), "(_:H, <urn:a>, (Selling, target, Laptop))"),
    (SALE.format("Computer"), SALE.format("Laptop") + " (_:H, ?2, (Selling, seller, Person))"),
    (SALE.format("Person"), SALE.format("Laptop") + " (?1, ?2, (Person, knows, Person))"),
    ("ASK { _:H a :Selling }", SALE.format("Laptop")),
    ("ASK { _:H a :Selling }", "ASK { _:H a :Auction }"),
    (PRICE.format("xsd:decimal", "< 400"), PRICE.format("xsd:integer", "< 300")),
    (PRICE.format("xsd:decimal", "< 400"), PRICE.format("xsd:decimal", "<= 399.5")),
    (PRICE.format("xsd:decimal", "<= 400"), PRICE.format("xsd:decimal", "< 400")),
    (PRICE.format("xsd:decimal", "!= 400"), PRICE.format("xsd:decimal", "> 400")),
    (PRICE.format("rdfs:Literal", ">= 1"), PRICE.format("xsd:decimal", "= 1.0")),
    ("(_:H, ?1, (owl:Thing, knows+, Person))", "(_:H, ?1, (Selling, knows, Person))"),
    (ONE_BIDDER.format(2), ONE_BIDDER.format(2).replace("Selling", "Auction", 1)),
]
NOT_COVERED = [
    (SALE.format("Laptop"), SALE.format("Computer")),
    (SALE.format("Computer"), SALE.format("Person")),
    ("(_:H, ?1, (Selling, mainTarget, Computer))", SALE.format("Computer")),
    ("(_:H, <urn:a>, (Selling, target, Laptop))", SALE.format("Laptop")),
    ("(_:H, ?1, (Selling, knows, Person))", "(_:H, ?1, (Selling, knows+, Person))"),
    (PRICE.format("xsd:decimal", "< 400"), PRICE.format("xsd:decimal", "<= 400")),
    (PRICE.format("xsd:decimal", "!= 400"), PRICE.format("xsd:decimal", ">= 400")),
    (PRICE.format("xsd:decimal", "< 400"), PRICE.format("xsd:decimal", "> 300")),
    (PRICE.format("xsd:decimal", "< 400"), "(_:H, ?1, (Selling, price, xsd:decimal))"),
    (
        "(_:H,?1,(Selling,bidder,Person)) (_:H,?2,(Selling,bidder,Person))",
        "(_:H,?1,(Selling,bidder,Person))",
    ),
    (ONE_BIDDER.format(2), "(_:H,?1,(Selling,bidder,Person))"),
    (
        # who sells may bid, too, and is then not a second bidder of the narrow pattern
        ONE_BIDDER.format(2),
        "(_:H,?3,(Selling,seller,Person)) " + ONE_BIDDER.format(2),
    ),
]


@pytest.mark.parametrize(("wide", "narrow"), COVERED)
def test_a_graph_pattern_covers_what_is_below_it(wide: str, narrow: str) -> None:
    assert covers(graph(wide), graph(narrow))


@pytest.mark.parametrize(("wide", "narrow"), NOT_COVERED)
def test_a_graph_pattern_covers_nothing_else(wide: str, narrow: str) -> None:
    assert not covers(graph(wide), graph(narrow))


def test_images_that_must_differ_are_not_given_up() -> None:
    two = "(_:H,?1,(Selling,bidder,Person)) (_:H,?2,(Selling,bidder,Person))"
    one = "(_:H,?1,(Selling,bidder,Person))"
    assert covers(graph(two, injective="none"), graph(one))
    assert not covers(graph(two), graph(two, injective="none"))
    assert covers(graph(two), graph(two, injective="all"))


def test_another_ontology_does_not_cover() -> None:
    other = parse_ontology("<urn:a> a <http://www.w3.org/2002/07/owl#Class> .")
    one = graph("ASK { _:H a owl:Thing }")
    assert covers(one, one)
    assert not covers(one, GraphPattern(one.statements, other))


@st.composite
def changed(draw: st.DrawFn, pattern: GraphPattern) -> GraphPattern:
    """Return the pattern with one thing that is different, so that one of the two often covers the
    other.
    """
    place = draw(st.integers(0, len(pattern.statements) - 1))
    each, order = pattern.statements[place], pattern.ontology
    above = [*order.superclasses(each.object_class), *CLASSES]
    changes: list[StatementPattern] = [] if each.property == ITSELF else [
        replace(each, object_class=draw(st.sampled_from(sorted(above)))),
        replace(each, subject_class=draw(st.sampled_from(CLASSES))),
        replace(each, property=draw(st.sampled_from(PROPERTIES))),
        replace(each, filter=draw(st.none() | filters())),
        replace(each, repeated=not each.repeated),
    ]  # fmt: skip
    made = [replace(pattern, absents=())]
    for new in changes:
        said = (*pattern.statements[:place], new, *pattern.statements[place + 1 :])
        made.append(replace(pattern, statements=said))
    return draw(st.sampled_from(made))


@given(st.data())
def test_covering_of_graph_patterns_is_never_wrong(data: st.DataObject) -> None:
    order = data.draw(ontologies())
    odd = Literal("x", data.draw(st.sampled_from(sorted(order.classes))))
    found = [*data.draw(st.lists(worlds(), min_size=1, max_size=3)), data.draw(worlds([odd]))]
    made = [data.draw(patterns(order, each)) for each in found for _ in range(2)]
    made = [data.draw(with_conditions(each)) if data.draw(st.booleans()) else each for each in made]
    made += [data.draw(changed(each)) for each in made]
    events = [each.event(number) for number, each in enumerate(found)]
    met = [{each.id for each in events if holds(one, each)} for one in made]
    for wide, more in zip(made, met, strict=True):
        for narrow, fewer in zip(made, met, strict=True):
            if covers(wide, narrow):
                assert fewer <= more, (wide, narrow)


CONCEPTS_COVERED = [
    ("exists bizState.transporting", "exists bizState.shipping"),
    ("exists bizState.bizState", "exists bizState.transporting"),
    ("exists bizState.transporting", "exists bizState.landCarrying"),
    ("exists bizState.landCarrying", "exists bizState.{roadCarrying}"),
    ("TransactionEvent", "TransactionEvent and exists bizState.selling"),
    ("TransactionEvent or ObjectEvent", "ObjectEvent"),
    ("forall bizState.transporting", "forall bizState.shipping"),
    ("not exists bizState.shipping", "not exists bizState.transporting"),
    ("exists r.not {railCarrying}", "exists r.not {railCarrying, roadCarrying}"),
]


@pytest.mark.parametrize(("wide", "narrow"), CONCEPTS_COVERED)
@pytest.mark.parametrize("world", ["closed", "open"])
def test_a_concept_covers_what_is_below_it(wide: str, narrow: str, world: str) -> None:
    assert covers(concept_test(wide, world=world), concept_test(narrow, world=world))
    assert not covers(concept_test(narrow, world=world), concept_test(wide, world=world))


def test_a_specialised_concept_is_covered_by_what_it_specialises() -> None:
    names = "Laptop <: Computer; Computer <: Product;"
    wide, narrow = (concept_test(f"exists item.{each}", names) for each in ("Product", "Laptop"))
    assert covers(wide, narrow)
    assert not covers(narrow, wide)


def test_another_terminology_or_world_does_not_cover() -> None:
    text = "exists bizState.shipping"
    closed = concept_test(text)
    assert not covers(closed, concept_test(text, world="open"))
    assert not covers(closed, concept_test(text, "shipping <: moving;"))


def test_a_role_to_correlate_by_is_needed() -> None:
    plain = concept_test("TransactionEvent")
    correlated = ConceptTest(plain.concept, plain.tbox, correlate=("item",))
    assert covers(plain, correlated)
    assert not covers(correlated, plain)


@given(st.data(), st.sampled_from(ConceptWorld))
def test_covering_of_concepts_is_never_wrong(data: st.DataObject, world: ConceptWorld) -> None:
    tbox = data.draw(tboxes())
    drawn = data.draw(st.lists(concept_tests(tbox, world), min_size=2, max_size=4))
    made = [each.concept for each in drawn]
    made += [join(data.draw(st.permutations(made))[:2]) for join in (conjunction, disjunction)]
    tests = [ConceptTest(each, tbox, world) for each in made]
    events = data.draw(st.lists(concept_events(tbox), min_size=1, max_size=4))
    for wide in tests:
        for narrow in tests:
            if covers(wide, narrow):
                for event in events:
                    assert holds(wide, event) or not holds(narrow, event), (wide, narrow)


def wants(*atoms: GraphPattern | ConceptTest, path: tuple[str, ...] = ("me",)) -> list[Interest]:
    return [Interest(atom, path) for atom in atoms]


def test_only_the_widest_are_sent() -> None:
    sales = [graph(SALE.format(each)) for each in ("Laptop", "Computer", "Product")]
    states = [concept_test(f"exists bizState.{each}") for each in ("shipping", "bizState")]
    found = merge_interests(wants(*sales, *states))
    assert sorted(found, key=repr) == sorted(wants(sales[2], states[1]), key=repr)
    assert merge_interests(wants(*reversed(sales))) == wants(sales[2])


def test_one_that_is_less_free_to_travel_replaces_none() -> None:
    wide, narrow = graph(SALE.format("Computer")), graph(SALE.format("Laptop"))
    both = [Interest(wide, ("far", "me")), Interest(narrow, ("me",))]
    assert set(merge_interests(both)) == set(both)


def test_everything_covers_graphs_and_concepts() -> None:
    for each in (graph(SALE.format("Laptop")), concept_test("TransactionEvent")):
        assert covers(EVERYTHING, each)
        assert not covers(each, EVERYTHING)
