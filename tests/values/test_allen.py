"""Allen's relations: the facts of the OWL-Time suite, the complements, and what instants do to
disjointness.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import shared_data
from tocsin.errors import MeaningProblem
from tocsin.reference import conditions as reference
from tocsin.values.allen import BOUNDS, INVERSE, Allen, bounds_test, holds, relation_of, stands
from tocsin.values.time import Interval

ALL_INTERVALS = [Interval(start, end) for start in range(6) for end in range(start, 6)]
PROPER = [each for each in ALL_INTERVALS if each.start < each.end]

intervals = st.tuples(st.integers(-9, 9), st.integers(0, 9)).map(
    lambda pair: Interval(pair[0], sum(pair))
)
names = st.sampled_from([each.value for each in Allen])


def test_every_fact_of_the_owl_time_suite_holds() -> None:
    facts = [
        json.loads(line)
        for line in (shared_data("allen") / "owl-time-facts.jsonl").read_text().splitlines()
    ]
    assert len(facts) == 1300
    wrong = [
        fact
        for fact in facts
        for proper in (False, True)
        if stands(fact["relation"], Interval(*fact["a"]), Interval(*fact["b"]), proper=proper)
        != fact["holds"]
    ]
    assert wrong == []


def test_exactly_one_relation_holds_between_proper_intervals() -> None:
    for one in PROPER:
        for other in PROPER:
            for proper in (False, True):
                assert sum(holds(relation, one, other, proper=proper) for relation in Allen) == 1


def test_the_table_is_seven_relations_and_their_inverses() -> None:
    assert len(BOUNDS) == 7
    assert set(BOUNDS) | set(INVERSE) == set(Allen)
    assert set(BOUNDS).isdisjoint(INVERSE)


def test_every_relation_stands_as_the_reference_defines_it() -> None:
    pairs = [(one, other) for one in ALL_INTERVALS for other in ALL_INTERVALS]
    wrong = [
        (name, one, other, proper)
        for name in (prefix + each.value for each in Allen for prefix in ("", "Un"))
        for proper in (False, True)
        for one, other in pairs
        if stands(name, one, other, proper=proper)
        is not reference.stands(name, (one.start, one.end), (other.start, other.end), proper=proper)
    ]
    assert wrong == []


@given(names, intervals, intervals, st.booleans())
def test_a_negated_relation_is_the_complement(
    name: str, one: Interval, other: Interval, proper: bool
) -> None:
    assert stands("Un" + name, one, other, proper=proper) is not stands(
        name, one, other, proper=proper
    )
    assert stands("UnUn" + name, one, other, proper=proper) is stands(
        name, one, other, proper=proper
    )


@given(names, intervals, intervals, st.booleans(), st.sampled_from(["", "Un"]))
def test_the_quick_test_is_the_same(
    name: str, one: Interval, other: Interval, proper: bool, negation: str
) -> None:
    quick = bounds_test(negation + name, proper)(one.start, one.end, other.start, other.end)
    assert quick is stands(negation + name, one, other, proper=proper)


def related(one: Interval, other: Interval, *, proper: bool = False) -> set[str]:
    return {each.value for each in Allen if holds(each, one, other, proper=proper)}


def test_instants_break_disjointness_as_the_paper_admits() -> None:
    assert related(Interval(3, 3), Interval(3, 3)) == {"Equals", "Meets", "MetBy"}
    assert related(Interval(1, 1), Interval(1, 5)) == {"Meets", "Starts"}
    assert related(Interval(5, 5), Interval(1, 5)) == {"Finishes", "MetBy"}


def test_in_mode_proper_an_instant_only_equals_or_comes_before_or_after() -> None:
    assert related(Interval(3, 3), Interval(3, 3), proper=True) == {"Equals"}
    assert related(Interval(1, 1), Interval(1, 5), proper=True) == set()
    assert related(Interval(2, 2), Interval(1, 5), proper=True) == set()
    assert related(Interval(0, 0), Interval(1, 5), proper=True) == {"Before"}


@pytest.mark.parametrize(
    ("scanned", "failing"), [("UnMeets", 315), ("UnFinishes", 56), ("UnDuring", 70)]
)
def test_the_scanned_negations_are_no_complements(scanned: str, failing: int) -> None:
    """The specification counts the pairs on which the damaged definitions and the relations fail to
    complement.
    """
    forms = {
        "UnMeets": lambda a, b: a.end < b.start,
        "UnFinishes": lambda a, b: a.start != b.start or a.end != b.end,
        "UnDuring": lambda a, b: a.start != b.start or b.end <= a.end,
    }
    relation = relation_of(scanned)[0]
    pairs = [(a, b) for a in ALL_INTERVALS for b in ALL_INTERVALS]
    assert len(pairs) == 441
    assert sum(forms[scanned](a, b) == holds(relation, a, b) for a, b in pairs) == failing


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(MeaningProblem, match="no relation"):
        relation_of("Besides")
