"""Terminologies of EL: what graphs conclude by `infer existential`, and what concepts do, beside a
reasoner that was written for the test.
"""

from __future__ import annotations

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from tests.engine.concepts.worlds import context, event_of, parse
from tests.engine.graphs.worlds import event_of as graph_event
from tests.knowledge.el import (
    EX,
    NAMES,
    PREFIXES,
    ROLES,
    And,
    Axiom,
    axioms,
    saturated,
    subconcepts,
    turtle,
)
from tocsin.engine.graphs.inference import enrich_graph
from tocsin.errors import MeaningProblem
from tocsin.events.views.graph import Graph
from tocsin.knowledge.concepts.owl import OwlTBox, tbox_of_triples
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.reference.concepts import holds
from tocsin.reference.inference import infer_facts
from tocsin.values.media_types import TURTLE
from tocsin.values.rdf import read_rdf
from tocsin.values.terms import Blank

VERTICES = ("H", "x", "y")


@st.composite
def individuals(draw: st.DrawFn) -> tuple[dict[str, set[str]], set[tuple[str, str, str]]]:
    """Vertices with their classes, and arcs between them."""
    types = {who: draw(st.sets(st.sampled_from(NAMES), max_size=3)) for who in VERTICES}
    vertex, role = st.sampled_from(VERTICES), st.sampled_from(ROLES)
    return types, draw(st.sets(st.tuples(vertex, role, vertex), max_size=3))


def told(types: dict[str, set[str]], arcs: set[tuple[str, str, str]]) -> Graph:
    lines = [f"_:{who} a :{name} ." for who, names in types.items() for name in sorted(names)]
    lines += [f"_:{one} :{role} _:{other} ." for one, role, other in sorted(arcs)]
    lines += [f"_:H :also _:{who} ." for who in VERTICES[1:]]
    return graph_event(PREFIXES + " ".join(lines)).graph


def named(graph: Graph, ontology: Ontology) -> dict[str, set[str]]:
    """The names that each vertex has, by the class order."""
    return {
        term.label: {
            name
            for name in NAMES
            if any(
                ontology.canonical_class(EX + name) in ontology.superclasses(kind)
                for kind in classes
            )
        }
        for term, classes in graph.types.items()
        if isinstance(term, Blank)
    }


@given(given_axioms=axioms(), world=individuals())
def test_graphs_conclude_all_that_el_entails_and_nothing_else(
    given_axioms: list[Axiom], world: tuple[dict[str, set[str]], set[tuple[str, str, str]]]
) -> None:
    note(turtle(given_axioms))
    ontology = parse_ontology(turtle(given_axioms), infer=["existential"])
    graph, expected = told(*world), saturated(given_axioms, *world)
    for infer in (enrich_graph, infer_facts):
        assert named(infer(graph, ontology), ontology) == expected


@pytest.mark.parametrize(
    ("text", "body", "expected"),
    [
        (
            ":D rdfs:subClassOf [ owl:intersectionOf (:E [ owl:intersectionOf (:E :F) ]) ] .",
            "_:H a :D .",
            {"D", "E", "F"},
        ),
        (
            "[ owl:intersectionOf (:A :C) ] rdfs:subClassOf [ owl:intersectionOf (:G :E) ] .",
            "_:H a :A , :C .",
            {"A", "C", "G", "E"},
        ),
        (
            "[ owl:onProperty :r ; owl:someValuesFrom :B ] rdfs:subClassOf"
            " [ owl:onProperty :s ; owl:hasValue :v ] ."
            ":D owl:equivalentClass [ owl:onProperty :s ; owl:hasValue :v ] .",
            "_:H :r [ a :B ] .",
            {"D"},
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperty :r ; owl:someValuesFrom [ owl:onProperty :s ;"
            " owl:someValuesFrom :B ] ] . :C owl:equivalentClass [ owl:onProperty :r ;"
            " owl:minCardinality 1 ] .",
            "_:H a :A .",
            {"A", "C"},
        ),
    ],
)
def test_conclusions_of_nested_expressions(text: str, body: str, expected: set[str]) -> None:
    ontology = parse_ontology(PREFIXES + text, infer=["existential"])
    graph = graph_event(PREFIXES + body).graph
    for infer in (enrich_graph, infer_facts):
        assert named(infer(graph, ontology), ontology)["H"] == expected


def reading(text: str) -> OwlTBox:
    found = read_rdf(text, TURTLE)
    return tbox_of_triples(found.triples, found.prefixes)


def rings(name: str, types: set[str], found: OwlTBox) -> bool | None:
    """Whether an event of these types has the name in an open world; None where it is refused."""
    try:
        pattern = parse(name, {"world": "open"}, context(found.tbox)).pattern
    except MeaningProblem as problem:
        if problem.code != "TBOX_CYCLE":
            raise
        return None
    assert isinstance(pattern, ConceptTest)
    return holds(pattern, event_of(" ".join(sorted(types))))


@given(given_axioms=axioms(), types=st.sets(st.sampled_from(NAMES), min_size=1, max_size=3))
def test_concepts_conclude_nothing_that_el_does_not_and_serve_what_is_unrelated(
    given_axioms: list[Axiom], types: set[str]
) -> None:
    note(turtle(given_axioms))
    unrelated = " :U rdfs:subClassOf :V . :W owl:equivalentClass :U ."
    found = reading(turtle(given_axioms) + unrelated)
    expected = saturated(given_axioms, {"H": types}, ())["H"]
    used = {
        each
        for axiom in given_axioms
        for side in (axiom.one, axiom.other)
        for each in subconcepts(side)
        if isinstance(each, str)
    }
    for name in sorted(used):
        found_one = rings(name, types, found)
        assert found_one in (None, False) or name in expected
        # an event has at least the types that it names, whatever was left out
        assert found_one in (None, True) or name not in types
    assert rings("V", {"W"}, found)
    assert not rings("U", {"V"}, found)


@given(
    one=st.lists(st.sampled_from("CDEF"), min_size=2, max_size=3, unique=True),
    other=st.lists(st.sampled_from("CDEF"), min_size=2, max_size=3, unique=True),
    more=st.sets(st.sampled_from("CDEFG"), max_size=2),
    types=st.sets(st.sampled_from("ACDEFG"), min_size=1, max_size=4),
)
def test_a_class_with_several_equivalences(
    one: list[str], other: list[str], more: set[str], types: set[str]
) -> None:
    """What has the class has all that it equals, and what has one of those has the class."""
    same = [Axiom("A", And(tuple(one)), same=True), Axiom("A", And(tuple(other)), same=True)]
    found = reading(turtle([*same, *(Axiom("A", each) for each in sorted(more))]))
    assert rings("A", types, found) == ("A" in types or set(one) <= types or set(other) <= types)
    for name in sorted({*one, *other, *more}):
        assert rings(name, types, found) == (name in types or "A" in types)


def test_a_class_that_is_defined_by_itself_is_refused_to_those_who_use_it() -> None:
    found = reading(
        PREFIXES + ":A owl:equivalentClass [ owl:intersectionOf (:B [ owl:onProperty :r ;"
        " owl:someValuesFrom :A ]) ] . :C rdfs:subClassOf :A ; owl:equivalentClass :K ."
    )
    assert (rings("A", {"A"}, found), rings("C", {"C"}, found)) == (None, None)
    assert rings("B", {"B"}, found)


def test_a_class_whose_members_have_such_members_is_served() -> None:
    found = reading(
        PREFIXES
        + ":Person rdfs:subClassOf :Being , [ owl:onProperty :parent ; owl:someValuesFrom :Person ] ."
    )
    assert rings("Person", {"Person"}, found)
    assert rings("Being", {"Person"}, found)
    assert found.left_out == (EX + "Person",)


def test_a_chain_deeper_than_the_limit_refuses_its_end_only() -> None:
    chain = " ".join(f":C{n} rdfs:subClassOf :C{n + 1} ." for n in range(200))
    found = reading(PREFIXES + chain)
    assert rings("C200", {"C100"}, found)
    with pytest.raises(MeaningProblem, match="LIMIT"):
        parse("C0", {}, context(found.tbox))


KNOWN_BY = [
    ":A owl:equivalentClass :B .",
    ":A rdfs:subClassOf :B .",
    ":A owl:disjointWith :B .",
    "[] a owl:AllDisjointClasses ; owl:members (:A :B) .",
    ":r rdfs:domain :A ; rdfs:range :B .",
    "[] owl:unionOf (:A :B) .",
    ":A owl:unionOf (:B :C) .",
    ":A owl:disjointUnionOf (:B :C) .",
    "[ owl:intersectionOf (:A :C) ] rdfs:subClassOf :B .",
    ":A rdfs:subClassOf [ owl:onProperty :r ; owl:onClass :B ; owl:maxQualifiedCardinality 2 ] .",
    ":A rdfs:subClassOf [ owl:onProperty :r ; owl:allValuesFrom :B ] .",
    ":A owl:complementOf :B .",
    ":A owl:equivalentClass [ owl:complementOf [ owl:unionOf (:B :C) ] ] , :D .",
    "[ owl:complementOf :A ] owl:equivalentClass :B .",
    ":A owl:hasKey (:r) .",
    ":x a :A .",
]


@pytest.mark.parametrize("text", KNOWN_BY)
def test_a_class_is_known_by_every_axiom_that_names_it(text: str) -> None:
    ontology, found = parse_ontology(PREFIXES + text), reading(PREFIXES + text)
    names = [name for name in "ABCD" if f":{name}" in text]
    assert names
    for name in names:
        assert ontology.is_class(EX + name)
        for written in (name, f"<{EX}{name}>"):
            assert rings(written, {name}, found)


@pytest.mark.parametrize(
    "text",
    [
        ":p rdfs:domain :A .",
        ":q rdfs:subPropertyOf :p .",
        ":p owl:inverseOf :q .",
        ":p owl:propertyDisjointWith :q .",
        ":p a owl:TransitiveProperty .",
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:cardinality 1 ] .",
        ":q owl:propertyChainAxiom (:p :q) .",
        ":q owl:equivalentProperty :p .",
        ":A owl:hasKey (:p :q) .",
        "[] a owl:AllDisjointProperties ; owl:members (:p :q) .",
        "[] a owl:NegativePropertyAssertion ; owl:assertionProperty :p .",
    ],
)
@pytest.mark.parametrize("declared", ["", ":other a owl:ObjectProperty ."])
def test_a_property_is_known_by_every_axiom_that_names_it(text: str, declared: str) -> None:
    ontology, found = parse_ontology(PREFIXES + text), reading(PREFIXES + declared + text)
    assert ontology.is_property(EX + "p")
    for written in ("p", f"<{EX}p>"):
        pattern = parse(f"exists {written}.{{x}}", {}, context(found.tbox)).pattern
        assert isinstance(pattern, ConceptTest)
        for said in ("p", EX + "p"):
            assert holds(pattern, event_of(data={said: "x"}))
