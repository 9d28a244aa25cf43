"""The index refutes most tests without looking at them; adding and removing touch only what they
name.
"""

from __future__ import annotations

import tocsin
from tests.engine.concepts.worlds import concept_test, event_of
from tocsin.catalog import Definition
from tocsin.engine.columns.batch import Batch
from tocsin.engine.concepts.clause_literals import ConceptClause, clauses_of
from tocsin.engine.concepts.matcher import ConceptMatcher
from tocsin.knowledge.concepts.concept import (
    Complement,
    Conjunction,
    Disjunction,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    enumeration,
)

A, B, C, D = map(Symbol, "ABCD")
X = enumeration(("x",))


def filled(*texts: str, world: str = "closed") -> ConceptMatcher:
    matcher = ConceptMatcher()
    for number, text in enumerate(texts):
        matcher.add(f"t{number}", concept_test(text, world=world))
    return matcher


def test_only_what_an_event_may_be_is_a_candidate() -> None:
    matcher = filled(
        *(f"ObjectEvent and exists epcList.{{<urn:{number}>}}" for number in range(500))
    )
    matcher.match(Batch([event_of("ObjectEvent", {"epcList": ["urn:7", "urn:8", "urn:9999"]})]))
    assert matcher.work.candidates == 2
    assert matcher.work.hits == 2
    assert matcher.work.predicate_evaluations == 0
    matcher.match(Batch([event_of("TransactionEvent", {"epcList": "urn:7"})]))
    assert matcher.work.candidates == 2


def test_each_part_is_evaluated_once_for_a_value_however_many_tests_have_it() -> None:
    many = [
        f"exists quantity.(not (xsd:int > 5)) and exists epcList.{{<urn:{number}>}}"
        for number in range(100)
    ]
    matcher = filled(*many)
    assert matcher.distinct_predicates == 101
    matcher.match(
        Batch(
            [
                event_of("ObjectEvent", {"quantity": 5, "epcList": f"urn:{number}"})
                for number in range(50)
            ]
        )
    )
    assert matcher.work.hits == 50
    assert matcher.work.predicate_evaluations == 1


def test_comparisons_are_found_by_their_limits() -> None:
    signs = ("<", "<=", "=", ">=", ">")
    matcher = filled(
        *(f"exists heat.(xsd:double {sign} {limit})" for limit in range(40) for sign in signs)
    )
    hits = matcher.match(Batch([event_of("ObjectEvent", {"heat": 20})]))
    found = [divmod(int(key[1:]), len(signs)) for key in matcher.keys_of(hits.slots)]
    expected = [
        (limit, place)
        for limit in range(40)
        for place, holds in enumerate(
            (limit > 20, limit >= 20, limit == 20, limit <= 20, limit < 20)
        )
        if holds
    ]
    assert found == expected
    assert matcher.work.predicate_evaluations == 0
    for number in range(200):
        matcher.remove(f"t{number}")
    assert matcher.distinct_predicates == 0


def test_some_kind_of_a_specialised_concept_needs_no_proof() -> None:
    crates = "Crate <: Container; ReuseCrate <: Crate; Pallet <: Container;"
    matcher = ConceptMatcher()
    for number in range(50):
        text = f"exists unit.{('Container', 'Crate', 'Pallet')[number % 3]} and exists epcList.{{<urn:{number}>}}"
        matcher.add(f"t{number}", concept_test(text, crates))
    event = event_of(
        "ObjectEvent", {"unit": "ReuseCrate", "epcList": [f"urn:{number}" for number in range(3)]}
    )
    hits = matcher.match(Batch([event]))
    assert matcher.keys_of(hits.slots) == ["t0", "t1"]
    assert matcher.work.candidates == 2
    # Crate and Pallet; Container has no axiom and goes by its name
    assert matcher.work.predicate_evaluations == 2


def test_an_open_world_asks_for_a_proof_only_of_what_a_closed_one_has() -> None:
    matcher = filled(
        *(f"not exists epcList.{{<urn:{number}>}}" for number in range(20)), world="open"
    )
    matcher.match(
        Batch([event_of("ObjectEvent", {"epcList": [f"urn:{number}" for number in range(20)]})])
    )
    assert matcher.work.candidates == 0


def test_with_the_last_test_everything_is_gone() -> None:
    matcher = filled(
        "ObjectEvent and exists bizStep.transporting",
        "forall bizStep.(not selling)",
        "not ObjectEvent",
    )
    for number in range(3):
        matcher.remove(f"t{number}")
    assert (len(matcher), matcher.distinct_predicates) == (0, 0)
    assert len(matcher.match(Batch([event_of("ObjectEvent")]))) == 0


def test_clauses() -> None:
    assert clauses_of(Thing()) == (ConceptClause(),)
    assert clauses_of(Nothing()) == ()
    assert clauses_of(Conjunction((A, Complement(B), Exists("r", X)))) == (
        ConceptClause(frozenset((A, Exists("r", X))), frozenset((B,))),
    )
    assert clauses_of(ForAll("r", X)) == (
        ConceptClause(refused=frozenset((Exists("r", Complement(X)),))),
    )
    assert clauses_of(Conjunction((A, Disjunction((B, C))))) == (
        ConceptClause(frozenset((A, B))),
        ConceptClause(frozenset((A, C))),
    )
    assert clauses_of(Conjunction((A, X))) == (ConceptClause(frozenset((A,)), rest=(X,)),)


def test_too_many_clauses_become_a_rest() -> None:
    pairs = tuple(Disjunction((Symbol(f"L{number}"), Symbol(f"R{number}"))) for number in range(10))
    found = clauses_of(Conjunction((A, *pairs)))
    assert len(found) == 64
    assert all(len(clause.rest) == 4 and A in clause.required for clause in found)


def test_an_event_that_contradicts_itself_is_a_dead_letter_and_matches_nothing() -> None:
    hub = tocsin.Hub(ontology=Definition("t", ontology="Wet <: not Dry;", media_type="text/x-tbox"))
    hub.subscribe("Wet", language="concept", id="wet")
    hub.subscribe("type = 'x'", id="other")
    both = {"id": "1", "source": "s", "type": "Wet", "data": {"@type": ["Wet", "Dry"], "type": "x"}}
    assert [match.subscription for match in hub.publish(both)] == ["other"]
    assert [(letter.code, letter.input) for letter in hub.dead_letters] == [
        ("EVENT_INCONSISTENT", '{"source": "s", "id": "1"}')
    ]
    assert [match.subscription for match in hub.publish({**both, "id": "2", "data": {}})] == ["wet"]
