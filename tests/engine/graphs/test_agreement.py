"""Both strategies say what the reference says, and the reference what SPARQL says (spec 3.5), on
random worlds.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.graphs.oracle import oracle_holds
from tests.engine.graphs.worlds import (
    CONSTANTS,
    EQUAL_VALUES,
    OF_EVERY_TYPE,
    World,
    comparisons,
    ontologies,
    pairs,
    patterns,
    with_conditions,
    worlds,
)
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.engine.graphs.solver import Solver
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.nodes.graphs import (
    RELATIONS,
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Regex,
    filter_truth,
)
from tocsin.reference import graphs as reference
from tocsin.reference.graphs import passes
from tocsin.values.terms import Literal
from tocsin.values.truth import Truth

MATCHERS = [GraphMatcher, PaperMatcher]
IDS = ["default", "paper"]


@st.composite
def subscribed_worlds(draw: st.DrawFn, most: int = 3) -> tuple[list[GraphPattern], list[World]]:
    """Worlds, and patterns taken from any of them."""
    ontology = draw(ontologies())
    given_worlds = draw(st.lists(worlds(), min_size=1, max_size=most))
    some = st.sampled_from(given_worlds).flatmap(lambda world: patterns(ontology, world))
    either = st.one_of(some, some.flatmap(with_conditions))
    return draw(st.lists(either, min_size=1, max_size=5)), given_worlds


@st.composite
def plain_worlds(draw: st.DrawFn) -> tuple[GraphPattern, World]:
    """A world where literals are equal by value only if they are the same, and a pattern that
    SPARQL can say.
    """
    world = draw(worlds(OF_EVERY_TYPE))
    simple = comparisons([*OF_EVERY_TYPE, *CONSTANTS], RELATIONS)
    compared = st.one_of(simple, st.builds(FilterNot, simple))
    pattern = draw(patterns(draw(ontologies()), world, OF_EVERY_TYPE, compared))
    return draw(st.one_of(st.just(pattern), with_conditions(pattern, OF_EVERY_TYPE))), world


@given(given_world=plain_worlds())
def test_the_reference_says_what_sparql_says(given_world: tuple[GraphPattern, World]) -> None:
    pattern, world = given_world
    assert reference.holds(pattern, world.event()) == oracle_holds(pattern, world)


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
@given(given_worlds=subscribed_worlds())
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
    assert matcher.undecided == []
    for place, key in expected:
        pattern = subscribed[int(key)]
        assert matcher.rows(pattern, events[place]) == (reference.rows(pattern, events[place]))


@pytest.mark.parametrize("literal", EQUAL_VALUES, ids=str)
def test_filters_are_as_true_as_the_reference_says(literal: Literal) -> None:
    compared = [Comparison(relation, value) for relation in RELATIONS for value in EQUAL_VALUES]
    simple: list[Filter] = [*compared, Regex("1")]
    negated: list[Filter] = [FilterNot(each) for each in simple]
    mixed: list[Filter] = [FilterNot(FilterAll((each, Regex("1")))) for each in simple]
    mixed += [FilterNot(FilterAny((each, Regex("1")))) for each in negated]
    for condition in (*simple, *negated, *mixed):
        assert (filter_truth(condition, literal) is Truth.TRUE) == passes(condition, literal)


@given(given_worlds=subscribed_worlds(most=1))
def test_the_thorough_search_finds_the_same_maps_in_the_same_order(
    given_worlds: tuple[list[GraphPattern], list[World]],
) -> None:
    event = given_worlds[1][0].event()
    graph = EncodedGraph(event.graph)
    for pattern in given_worlds[0]:
        found = [
            {each: graph.terms[image] for each, image in one.items()}
            for one in Solver(pattern, graph).maps()
        ]
        assert found == [dict(one) for one in reference.maps(pattern, event)]
