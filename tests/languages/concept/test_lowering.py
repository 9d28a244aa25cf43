"""Texts become the plans they should: binding, grouping, levels, definitions, and atoms of other
languages.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.concepts.strategies import concepts
from tests.engine.concepts.worlds import PAPER, context
from tests.languages.asked import CONCEPT
from tests.languages.concept.texts import pattern_of, with_definitions
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.concept import Concept, Exists, concept_text, normal_form
from tocsin.languages import parse_subscription
from tocsin.languages.concept.lower import ORDER
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    Either,
    End,
    EveryWindow,
    Join,
    JoinCondition,
    Keyed,
    Only,
    Part,
    Policy,
    Precedes,
    Stands,
    atoms_of,
)
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.semantics.bounds import join_lifetime
from tocsin.values.allen import BOUNDS, stands
from tocsin.values.time import Interval

parse = CONCEPT.parse

S, T, Q = "ObjectEvent", "TransactionEvent", "QuantityEvent"
RELATIONS = [
    negation + each.value for each in BOUNDS for negation in ("", "Un")
]  # fmt: skip
intervals = st.tuples(st.integers(-5, 5), st.integers(0, 5)).map(
    lambda pair: Interval(pair[0], sum(pair))
)
HOUR = 3_600_000_000


def joined(left: Part, right: Part, *conditions: JoinCondition) -> Join:
    return Join((left, right), conditions, Policy.CHRONICLE)


SAME = [
    ("A and B or C", "(A and B) or C"),
    ("not A and B", "(not A) and B"),
    ("not exists r.A and B", "(not (exists r.(A))) and B"),
    ("exists r.A and B", "(exists r.(A)) and B"),
    ("exists r(A or B)", "exists r.(A or B)"),
    ("exists r.not A", "exists r.(not A)"),
    ("exists r.forall s.A", "exists r.(forall s.(A))"),
    ("A ⊓ ∃r.(B ⊔ ¬C) ⊓ ∀s.⊤ ⊓ ¬⊥", "A and some r.(B or not C) and all s.Thing and not Nothing"),
    ("A or B Before C", "(A or B) Before C"),
    ("A Before B & C", "(A Before B) & C"),
    ("A & B | C", "(A & B) | C"),
    ("A Before B Meets C", "(A Before B) Meets C"),
    ("A & B & C", "(A & B) & C"),
    ("not A (1 h)", "not (A) (PT60M)"),
    ("exists q.(xsd:int ≥ 5)", "exists q.(xsd:int >= 5)"),
    ("exists q.(xsd:int ≠ 5)", "exists q.(<http://www.w3.org/2001/XMLSchema#int> != 5)"),
    ("A # a comment\n and B", "A and B"),
]


@pytest.mark.parametrize(("text", "same"), SAME, ids=[case[0] for case in SAME])
def test_binding_and_spelling(text: str, same: str) -> None:
    tbox = "Known := A or B or C;"
    assert pattern_of(text, tbox) == pattern_of(same, tbox)


def test_composites() -> None:
    one, two, three = map(pattern_of, (S, T, Q))
    assert pattern_of(f"{S} & {T}") == joined(one, two)
    assert pattern_of(f"({S} & {T}) UnBefore {Q}") == joined(
        joined(one, two), three, *ORDER["UnBefore"], Stands(0, "UnBefore", 1)
    )
    assert pattern_of(f"{S} Meets {T}", intervals="proper") == joined(
        one, two, *ORDER["Meets"], Stands(0, "Meets", 1, True)
    )
    assert pattern_of(f"{S} | {T} | {Q}") == Either((one, two, three))
    assert pattern_of(f"not ({S} Before {T}) (PT1H)") == Absence(
        joined(one, two, *ORDER["Before"], Stands(0, "Before", 1)),
        EveryWindow(HOUR),
        policy=Policy.CHRONICLE,
    )
    assert pattern_of(f"not {S} (1 h)", origin="1970-01-01T00:00:01Z") == Absence(
        one, EveryWindow(HOUR, 1_000_000), policy=Policy.CHRONICLE
    )
    assert pattern_of(f"not ({S}) (1 h anchored) Before {T}") == Absence(
        one, BeforeWindow(two, HOUR), policy=Policy.CHRONICLE
    )


@given(st.sampled_from(sorted(ORDER)), intervals, intervals)
def test_the_order_of_bounds_says_what_the_relation_says(
    relation: str, one: Interval, other: Interval
) -> None:
    bounds = {End.START: (one.start, other.start), End.FINISH: (one.end, other.end)}
    follows = all(_holds(each, bounds) for each in ORDER[relation])
    assert follows is stands(relation, one, other)


def _holds(condition: Precedes, bounds: dict[End, tuple[int, int]]) -> bool:
    earlier, later = (bounds[each.end][each.part] for each in (condition.earlier, condition.later))
    return earlier < later or (condition.or_equal and earlier == later)


def test_what_must_end_together_does_not_wait() -> None:
    lifetimes = {
        relation: join_lifetime(pattern, 0)
        for relation in RELATIONS
        if isinstance(pattern := pattern_of(f"{S} {relation} {T}"), Join)
    }
    assert {relation for relation, lifetime in lifetimes.items() if lifetime == 0} == {
        "Equals",
        "Finishes",
    }


def test_every_atom_has_the_roles_to_correlate_by() -> None:
    pattern = pattern_of(f"({S} & {T}) Before {Q} correlate by epcList, bizLocation")
    tests = [atom for atom in atoms_of(pattern) if isinstance(atom, ConceptTest)]
    assert [test.correlate for test in tests] == [("bizLocation", "epcList")] * 3


def test_one_value_is_a_key_of_every_operator() -> None:
    pattern = pattern_of(
        f"({S} & {T}) Before not ({Q}) (1 h anchored) correlate by one readPoint.id"
    )
    key = (("readPoint", "id"),)
    assert isinstance(pattern, Absence)
    assert isinstance(pattern.window, AfterWindow)
    assert isinstance(pattern.window.part, Join)
    assert (pattern.by, pattern.window.part.by) == (key, key)
    tests = [atom for atom in atoms_of(pattern) if isinstance(atom, ConceptTest)]
    assert [test.correlate for test in tests] == [("readPoint",)] * 3
    alone = pattern_of(f"{S} correlate by one readPoint.id")
    assert alone == Only(pattern_of(f"{S} correlate by readPoint"), Keyed(key))


def test_a_role_may_be_called_one() -> None:
    both = pattern_of(f"{S} & {T} correlate by one = parentID, one")
    first, second = (atom for atom in atoms_of(both) if isinstance(atom, ConceptTest))
    assert (first.correlate, second.correlate) == (("one", "one"), ("one", "parentID"))
    assert isinstance(both, Join)
    assert both.by == ()


def test_the_world_is_closed_unless_it_is_open() -> None:
    closed, opened = pattern_of(S), pattern_of(S, world="open")
    assert isinstance(closed, ConceptTest)
    assert isinstance(opened, ConceptTest)
    assert (closed.world, opened.world) == (World.CLOSED, World.OPEN)


def test_definitions_beside_the_subscription() -> None:
    beside = with_definitions(Unpacked="AggregationEvent", Pair="Unpacked & ObjectEvent")
    assert parse("Pair Before Unpacked", {}, beside).pattern == pattern_of(
        "(AggregationEvent & ObjectEvent) Before AggregationEvent"
    )
    assert parse("Unpacked and exists bizStep.selling", {}, beside).pattern == pattern_of(
        "AggregationEvent and exists bizStep.selling"
    )


def test_atoms_of_other_languages_stand_where_parts_stand() -> None:
    pattern = parse_subscription(
        "concept", "selector{ note = '}' } Before not selector{ a > 1 } (1 h)", {}, context()
    )
    assert isinstance(pattern.pattern, Join)
    assert [type(atom) for atom in atoms_of(pattern.pattern)] == [Condition, Condition]


def test_a_concept_stands_in_braces_in_other_languages() -> None:
    plan = parse_subscription(
        "opsl", "concept{ exists bizStep.{railCarrying} } && selector{ a > 1 }", {}, context()
    )
    assert {type(atom) for atom in atoms_of(plan.pattern)} == {ConceptTest, Condition}


@given(concepts(("A", "B", "C")))
def test_a_concept_reads_back_from_its_text(concept: Concept) -> None:
    filler = normal_form(concept)
    pattern = pattern_of(f"exists r.({concept_text(filler)})", f"{PAPER} Known := A or B or C;")
    assert isinstance(pattern, ConceptTest)
    assert pattern.concept == Exists("r", filler)
