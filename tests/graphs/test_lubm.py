"""LUBM's fourteen queries: with every conclusion a university gives the answers that the benchmark
expects.
"""

from __future__ import annotations

import re

import pytest

from tests.conftest import SHARED_DATA
from tests.graphs.lubm import (
    ANSWERS,
    ONTOLOGY,
    UNINFERRED,
    event_of,
    knowledge,
    patterns,
    small_university,
)
from tocsin.engine.graphs.inference import encoded
from tocsin.engine.graphs.solving import Solver
from tocsin.events.event import Event
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.graphs import GraphPattern, Variable
from tocsin.reference import graphs as reference
from tocsin.values.rdf import RDF_XML, TURTLE, read_rdf
from tocsin.values.terms import Iri

FILES = SHARED_DATA / "lubm"
"""univ-bench.owl and University0_0.owl, as the generator of the benchmark writes it with seed 0."""
FIRST_DEPARTMENT = (4, 0, 6, 34, 719, 678, 67, 678, 13, 4, 10, 1, 1, 532)


def answers(event: Event, ontology: Ontology, space: str) -> tuple[int, ...]:
    """How many answers each query has."""
    graph = encoded(event, ontology)
    return tuple(
        len({_chosen(pattern, found) for found in Solver(pattern, graph, 10**9).maps()})
        for pattern in patterns(ontology, space)
    )


def _chosen(pattern: GraphPattern, found: object) -> tuple[object, ...]:
    return tuple(found[Variable(name)] for name in pattern.select)  # type: ignore[index]


@pytest.mark.parametrize(
    ("infer", "expected"), [(("domain-range", "inverse", "existential"), ANSWERS), ((), UNINFERRED)]
)
def test_a_small_university(infer: tuple[str, ...], expected: tuple[int, ...]) -> None:
    ontology = knowledge((ONTOLOGY, TURTLE), infer=infer)
    assert answers(small_university(), ontology, "http://univ.example/") == expected


def test_the_reference_gives_the_same_answers() -> None:
    ontology, event = knowledge((ONTOLOGY, TURTLE)), small_university()
    counted = (
        len({_chosen(each, found) for found in reference.maps(each, event)})
        for each in patterns(ontology)
    )
    assert tuple(counted) == ANSWERS


@pytest.mark.skipif(
    not FILES.is_dir(), reason="the files of LUBM are not beside the checkout (../shared/data/lubm)"
)
def test_the_first_department_of_the_benchmark() -> None:
    text = (FILES / "University0_0.owl").read_text()
    read = read_rdf(text, RDF_XML, base="http://file.example/")
    (space,) = re.findall(r'xmlns:ub="([^"]+)"', text)
    # the file's own header
    own = [each for each in read.triples if each[0] != Iri("http://file.example/")]
    ontology = knowledge(((FILES / "univ-bench.owl").read_text(), RDF_XML))
    assert answers(event_of(own), ontology, space) == FIRST_DEPARTMENT
