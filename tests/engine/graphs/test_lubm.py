"""LUBM's fourteen queries: with every conclusion a university gives the answers that the benchmark
expects.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from random import Random

import pytest

from tests.engine.graphs.closure import closed_store, select
from tests.engine.graphs.lubm import (
    ALL,
    ANSWERS,
    ONTOLOGY,
    UNINFERRED,
    event_of,
    knowledge,
    patterns,
    small_university,
    sparql_queries,
)
from tests.engine.graphs.recorded_answers import Answer, recorded_answers
from tests.engine.graphs.universities import draw_universities, triples_of
from tocsin.engine.graphs.inference import encode_graph
from tocsin.engine.graphs.solver import Solver
from tocsin.events.event import Event
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import GraphPattern, Variable
from tocsin.reference import graphs as reference
from tocsin.values.media_types import TURTLE
from tocsin.values.terms import RDF_TYPE, Iri, Term, Triple

SEEDS = range(3)
CHOICES = [chosen for count in range(4) for chosen in combinations(ALL, count)]
"""Every choice of what is concluded."""


def answers(event: Event, ontology: Ontology) -> tuple[set[Answer], ...]:
    """Return the answers that the engine finds to each query."""
    graph = encode_graph(event, ontology)
    return tuple(
        {
            _addresses(graph.terms[found[name]] for name in _selected(pattern))
            for found in Solver(pattern, graph, 10**9).maps()
        }
        for pattern in patterns(ontology)
    )


def _selected(pattern: GraphPattern) -> list[Variable]:
    return [Variable(name) for name in pattern.select]


def _addresses(terms: Iterable[Term]) -> Answer:
    return tuple(each.text for each in terms if isinstance(each, Iri))


def counted(found: tuple[set[Answer], ...]) -> tuple[int, ...]:
    """Return the number of answers to each query."""
    return tuple(len(each) for each in found)


@pytest.mark.parametrize(("infer", "expected"), [(ALL, ANSWERS), ((), UNINFERRED)])
def test_a_small_university(infer: tuple[str, ...], expected: tuple[int, ...]) -> None:
    ontology = knowledge((ONTOLOGY, TURTLE), infer=infer)
    assert counted(answers(small_university(), ontology)) == expected


def test_the_reference_gives_the_same_answers() -> None:
    ontology, event = knowledge((ONTOLOGY, TURTLE)), small_university()
    found = tuple(
        {
            _addresses(each[name] for name in _selected(pattern))
            for each in reference.maps(pattern, event)
        }
        for pattern in patterns(ontology)
    )
    assert counted(found) == ANSWERS
    assert found == answers(event, ontology)


@pytest.mark.parametrize("seed", SEEDS)
def test_universities_give_the_answers_of_their_records(seed: int) -> None:
    records = draw_universities(seed)
    expected = recorded_answers(records)
    assert all(expected), "every query has an answer"
    assert answers(event_of(triples_of(records)), knowledge((ONTOLOGY, TURTLE))) == expected


@pytest.mark.parametrize("infer", CHOICES, ids="+".join)
def test_what_follows_is_what_the_rules_of_rdfs_and_owl_give(infer: tuple[str, ...]) -> None:
    triples = _with_fewer_classes(triples_of(draw_universities(seed=len(SEEDS))))
    text = "".join(f"{subject} <{prop}> {value} .\n" for subject, prop, value in triples)
    store = closed_store(ONTOLOGY, text, infer)
    expected = tuple(select(store, query) for query in sparql_queries())
    assert answers(event_of(triples), knowledge((ONTOLOGY, TURTLE), infer=infer)) == expected


def _with_fewer_classes(triples: Iterable[Triple]) -> list[Triple]:
    """Return the statements without one class in three, so that domains and ranges matter."""
    random = Random(0)
    return [each for each in triples if each[1] != RDF_TYPE or random.randrange(3)]
