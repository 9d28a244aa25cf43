"""Index, tableau and the independent evaluator agree; the open world never says more than the
closed one.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.concepts.evaluator import is_instance
from tests.engine.concepts.strategies import (
    BASE,
    concept_tests,
    concepts,
    events,
    plain_events,
    tboxes,
)
from tests.engine.concepts.worlds import event_of
from tocsin.engine.columns.batch import Batch
from tocsin.engine.concepts.matcher import ConceptMatcher
from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.axioms import Definition
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Exists,
    Symbol,
)
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.semantics.assertions import assertions_of
from tocsin.reference.concepts import holds, refutation


def reference_hits(tests: list[ConceptTest], batch: list[Event]) -> list[tuple[int, str]]:
    return [
        (i, f"t{n}")
        for i, event in enumerate(batch)
        for n, test in enumerate(tests)
        if holds(test, event)
    ]


def engine_hits(matcher: ConceptMatcher, batch: list[Event]) -> list[tuple[int, str]]:
    hits = matcher.match(Batch(batch))
    return list(zip(hits.events.tolist(), matcher.keys_of(hits.slots), strict=True))


@given(st.data())
def test_the_index_agrees_with_the_tableau(data: st.DataObject) -> None:
    tbox = data.draw(tboxes())
    tests = data.draw(
        st.lists(
            st.sampled_from(World).flatmap(lambda world: concept_tests(tbox, world)),
            min_size=1,
            max_size=6,
        )
    )
    batch = data.draw(st.lists(events(tbox), min_size=1, max_size=3))
    matcher = ConceptMatcher()
    for number, test in enumerate(tests):
        matcher.add(f"t{number}", test)
    assert engine_hits(matcher, batch) == reference_hits(tests, batch)


@pytest.mark.parametrize("world", list(World), ids=lambda world: world.value)
@pytest.mark.parametrize(
    "refused",
    [Symbol("B"), Exists("r", Symbol("B")), Conjunction((Symbol("B"), Symbol("C")))],
    ids=str,
)
def test_what_is_refused_is_missing_in_every_small_event(refused: Concept, world: World) -> None:
    tbox = TBox((Definition("Known", Disjunction(tuple(map(Symbol, BASE)))),))
    tests = [
        ConceptTest(tbox.expand(Conjunction((Symbol("A"), Complement(refused)))), tbox, world),
        ConceptTest(tbox.expand(Complement(refused)), tbox, world),
    ]
    batch = [
        event_of(types, data)
        for types in ("A", "B", "C", "A B", "A C", "B C", "A B C")
        for data in ({}, {"r": "B"}, {"r": "C"}, {"r": ["B", "C"]})
    ]
    matcher = ConceptMatcher()
    for number, test in enumerate(tests):
        matcher.add(f"t{number}", test)
    assert engine_hits(matcher, batch) == reference_hits(tests, batch)


@given(st.data())
def test_the_closed_world_agrees_with_the_independent_evaluator(data: st.DataObject) -> None:
    tbox = data.draw(tboxes())
    concept = data.draw(concepts((*BASE, *(axiom.name for axiom in tbox.axioms))))
    event = data.draw(plain_events)
    test = ConceptTest(tbox.expand(concept), tbox, World.CLOSED)
    expected = is_instance(concept, event, tbox, BASE)
    assert holds(test, event) is expected
    matcher = ConceptMatcher()
    matcher.add("t0", test)
    assert bool(engine_hits(matcher, [event])) is expected


@given(st.data())
def test_an_open_match_is_a_closed_match(data: st.DataObject) -> None:
    tbox = data.draw(tboxes())
    test = data.draw(concept_tests(tbox, World.OPEN))
    event = data.draw(events(tbox))
    if holds(test, event):
        assert holds(ConceptTest(test.concept, tbox, World.CLOSED), event)


@given(st.data())
def test_an_event_is_an_instance_of_a_concept_or_its_complement(data: st.DataObject) -> None:
    tbox = data.draw(tboxes())
    concept = data.draw(concepts(BASE))
    event = data.draw(events(tbox))
    world = data.draw(st.sampled_from(World))
    either = ConceptTest(tbox.expand(Disjunction((concept, Complement(concept)))), tbox, world)
    assert refutation(either, assertions_of(event, tbox)).is_inconsistent


@given(st.data())
def test_removing_leaves_what_was_never_added(data: st.DataObject) -> None:
    tbox = data.draw(tboxes())
    tests = data.draw(
        st.lists(
            st.sampled_from(World).flatmap(lambda world: concept_tests(tbox, world)),
            min_size=2,
            max_size=6,
        )
    )
    batch = data.draw(st.lists(events(tbox), min_size=1, max_size=3))
    gone = data.draw(st.sets(st.integers(0, len(tests) - 1)))
    matcher = ConceptMatcher()
    for number, test in enumerate(tests):
        matcher.add(f"t{number}", test)
    engine_hits(matcher, batch)
    for number in gone:
        matcher.remove(f"t{number}")
    expected = [hit for hit in reference_hits(tests, batch) if int(hit[1][1:]) not in gone]
    assert engine_hits(matcher, batch) == expected
    if len(gone) == len(tests):
        assert matcher.distinct_predicates == 0
