"""What follows from the rules of an ontology: engine and reference agree, and both with SPARQL
where it can say it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.graphs.rules import closed, ruling_ontologies
from tests.engine.graphs.worlds import (
    DIFFERENT_VALUES,
    EX,
    World,
    event_of,
    ontology_of,
    pairs,
    patterns,
    worlds,
)
from tocsin.engine.graphs.inference import enrich_graph
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.errors import EventProblem
from tocsin.events.views.graph import Graph
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import MAX_INFERRED, Rules
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.reference import graphs as reference
from tocsin.reference.inference import infer_facts
from tocsin.values.terms import RDF_TYPE, THING, Literal

PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . """


def content(graph: Graph) -> tuple[object, ...]:
    """A graph, whatever the order of what follows."""
    types = {term: frozenset(kinds) for term, kinds in graph.types.items()}
    return graph.home, frozenset(graph.arcs), len(graph.arcs), types


@given(st.data())
def test_the_engine_infers_what_the_reference_does(data: st.DataObject) -> None:
    ontology, world = data.draw(ruling_ontologies()), data.draw(worlds())
    graph = world.event().graph
    assert content(enrich_graph(graph, ontology)) == content(infer_facts(graph, ontology))


@given(st.data())
def test_the_reference_infers_what_sparql_does(data: st.DataObject) -> None:
    ontology, world = (
        data.draw(ruling_ontologies(unseen=False)),
        data.draw(worlds(DIFFERENT_VALUES)),
    )
    found = infer_facts(world.event().graph, ontology)
    told = {(str(subject), used, str(value)) for subject, used, value in found.arcs}
    told |= {
        (str(term), RDF_TYPE, f"<{kind}>")
        for term, kinds in found.types.items()
        for kind in kinds
        if not isinstance(term, Literal) and kind != THING
    }
    assert told == {each for each in closed(world, ontology) if each[2] != f"<{THING}>"}


@st.composite
def ruled_worlds(draw: st.DrawFn) -> tuple[list[GraphPattern], list[World]]:
    """Worlds under an ontology with rules, and patterns taken from what they say."""
    ontology = draw(ruling_ontologies())
    given_worlds = draw(st.lists(worlds(), min_size=1, max_size=2))
    some = st.sampled_from(given_worlds).flatmap(lambda world: patterns(ontology, world))
    return draw(st.lists(some, min_size=1, max_size=4)), given_worlds


@pytest.mark.parametrize("make", [GraphMatcher, PaperMatcher], ids=["default", "paper"])
@given(given_worlds=ruled_worlds())
def test_a_strategy_says_what_the_reference_says(
    make: type[GraphMatcher] | type[PaperMatcher],
    given_worlds: tuple[list[GraphPattern], list[World]],
) -> None:
    subscribed, events = (
        given_worlds[0],
        [world.event(number) for number, world in enumerate(given_worlds[1])],
    )
    matcher = make()
    for number, pattern in enumerate(subscribed):
        matcher.add(str(number), pattern)
    expected = [
        (place, str(number))
        for place, event in enumerate(events)
        for number, pattern in enumerate(subscribed)
        if reference.holds(pattern, event)
    ]
    assert pairs(matcher, events) == expected
    for place, key in expected:
        assert matcher.rows(subscribed[int(key)], events[place]) == reference.rows(
            subscribed[int(key)], events[place]
        )


def kinds(ontology: Ontology, body: str, vertex: str) -> set[str]:
    """The classes of a vertex of an event, told by both."""
    graph = event_of(PREFIXES + body).graph
    found = [each(graph, ontology) for each in (enrich_graph, infer_facts)]
    assert content(found[0]) == content(found[1])
    (classes,) = (
        set(classes) for term, classes in found[0].types.items() if str(term).strip("<>") == vertex
    )
    return {each.removeprefix(EX) for each in classes} - {THING}


def arcs(ontology: Ontology, body: str) -> set[str]:
    graph = event_of(PREFIXES + body).graph
    found = [each(graph, ontology) for each in (enrich_graph, infer_facts)]
    assert content(found[0]) == content(found[1])
    fresh = found[0].arcs[len(graph.arcs) :]
    return {
        " ".join((str(one), used, str(other))).replace(EX, "").replace("_:", "")
        for one, used, other in fresh
    }


def test_domains_and_ranges_give_classes_along_the_hierarchy() -> None:
    text = ":heads rdfs:subPropertyOf :worksFor . :worksFor rdfs:domain :Person ; rdfs:range :Organization ."
    told = parse_ontology(PREFIXES + text, infer=["domain-range"])
    assert kinds(told, "_:H :heads _:d .", "_:H") == {"Person"}
    assert kinds(told, "_:H :heads _:d .", "_:d") == {"Organization"}
    assert kinds(parse_ontology(PREFIXES + text), "_:H :heads _:d .", "_:d") == set()


def test_inverse_symmetric_and_transitive_properties_make_arcs() -> None:
    told = parse_ontology(
        PREFIXES
        + """:hasPart owl:inverseOf :partOf . :near a owl:SymmetricProperty . :partOf a owl:TransitiveProperty .
        :screwedTo rdfs:subPropertyOf :partOf ."""
        , infer="inverse",
    )  # fmt: skip
    assert arcs(told, "_:H :screwedTo _:b . _:b :partOf _:c .") == {
        "H partOf b", "H partOf c", "b hasPart H", "c hasPart b", "c hasPart H",
    }  # fmt: skip
    assert arcs(told, "_:H :near _:b .") == {"b near H"}
    assert arcs(told, "_:H :partOf _:H .") == {"H hasPart H"}
    assert arcs(told, "_:H :hasPart 5 .") == set()


UNIVERSITY = """
:Student owl:equivalentClass [ owl:intersectionOf (:Person [ owl:onProperty :takes ; owl:someValuesFrom :Course ]) ] .
:Chair owl:intersectionOf (:Person [ owl:onProperty :headOf ; owl:someValuesFrom :Department ]) .
:GraduateStudent rdfs:subClassOf :Person , [ owl:onProperty :takes ; owl:someValuesFrom :GraduateCourse ] .
:GraduateCourse rdfs:subClassOf :Course .
:Veteran owl:equivalentClass [ owl:onProperty :since ; owl:hasValue 1990 ] .
:Busy owl:equivalentClass [ owl:onProperty :knows ; owl:someValuesFrom :Student ] .
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("_:H a :Person ; :takes [ a :GraduateCourse ] .", {"Person", "Student"}),
        ("_:H a :Person ; :takes [ a :Break ] .", {"Person"}),
        ("_:H :takes [ a :Course ] .", set()),
        ("_:H a :GraduateStudent .", {"GraduateStudent", "Student"}),
        ("_:H a :Person ; :headOf [ a :Department ] .", {"Person", "Chair"}),
        ("_:H :since 1990.0 .", {"Veteran"}),
        ("_:H :since 1991 .", set()),
        ("_:H :knows [ :knows [ a :GraduateStudent ] ] .", set()),
        ("_:H :knows [ a :GraduateStudent ; :knows [ a :Person ] ] .", {"Busy"}),
    ],
)
def test_what_meets_a_definition_is_of_the_class(body: str, expected: set[str]) -> None:
    assert (
        kinds(parse_ontology(PREFIXES + UNIVERSITY, infer=["existential"]), body, "_:H") == expected
    )


def test_what_a_class_has_is_no_vertex_of_the_event() -> None:
    told = parse_ontology(PREFIXES + UNIVERSITY, infer=["existential"])
    graph = event_of(PREFIXES + "_:H a :GraduateStudent .").graph
    assert enrich_graph(graph, told).arcs == ()


def test_an_event_from_which_too_much_follows_is_refused() -> None:
    told = replace(ontology_of({}, {EX + "p": ()}), rules=Rules(transitive=(EX + "p",)))
    chain = "".join(f"_:v{number} <{EX}p> _:v{number + 1} .\n" for number in range(700))
    graph = event_of(f"_:H <{EX}p> _:v0 .\n{chain}").graph
    assert MAX_INFERRED < 700 * 700 / 2
    with pytest.raises(EventProblem, match="EVENT_TOO_LARGE"):
        enrich_graph(graph, told)


def test_an_option_that_is_none_is_refused() -> None:
    with pytest.raises(Exception, match="domain-range, inverse, existential, meta-statements"):
        parse_ontology(PREFIXES, infer=["everything"])
