"""Pairs in arrays: comparisons say what conditions say, few are asked, and nothing is held longer
than somebody needs it.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import event_at
from tocsin.engine.detection.pair_table import PairStore, TimeCondition, comparisons_of
from tocsin.plan.nodes.composites import End, Moment, Precedes, Stands
from tocsin.plan.semantics.condition_evaluation import meets
from tocsin.plan.semantics.occurrence import Occurrence, occurrence_of
from tocsin.values.allen import Allen

INTERVALS = [(start, end) for start in range(4) for end in range(start, 4)]
MOMENTS = st.builds(Moment, st.integers(0, 1), st.sampled_from(End))
PRECEDING = st.builds(Precedes, MOMENTS, MOMENTS, st.integers(-2, 2), st.booleans())


def assert_compared_as_said(condition: TimeCondition) -> None:
    for slot, mine, theirs in product((0, 1), INTERVALS, INTERVALS):
        moments = (*mine, *theirs)
        compared, negated = comparisons_of(condition, slot)
        found = all(moments[a] + slack <= moments[b] for a, b, slack in compared) is not negated
        parts = [Occurrence((), *each) for each in ((theirs, mine) if slot else (mine, theirs))]
        assert found == meets(condition, parts, {})


@pytest.mark.parametrize("proper", [False, True])
@pytest.mark.parametrize("negation", ["", "Un"])
@pytest.mark.parametrize("relation", Allen)
def test_relations_are_compared_as_they_are_said(
    relation: Allen, negation: str, proper: bool
) -> None:
    assert_compared_as_said(Stands(0, f"{negation}{relation.value}", 1, proper))
    assert_compared_as_said(Stands(1, f"{negation}{relation.value}", 0, proper))
    assert_compared_as_said(Stands(1, f"{negation}{relation.value}", 1, proper))


@given(PRECEDING)
def test_moments_are_compared_as_they_are_said(condition: Precedes) -> None:
    assert_compared_as_said(condition)


def served(table: PairStore[str], slot: int, instant: int, step: int) -> list[str]:
    table.reached_queues.append(slot)
    occurrence = occurrence_of(event_at(instant, "a"))
    return [owner for owner, _ in table.serve(occurrence, step)]


@pytest.mark.parametrize(
    ("relation", "most"), [("Equals", 0), ("Meets", 0), ("UnBefore", 0), ("UnAfter", 1)]
)
def test_only_what_ended_at_the_right_time_is_asked(relation: str, most: int) -> None:
    table = PairStore[str]()
    pair = table.add("pair", (Stands(0, relation, 1),), (10_000, 10_000), (True, True))
    for instant in range(200):
        assert not served(table, 0, instant, instant)
    served(table, 1, 1_000, 1_000)
    assert table.tried(pair) <= most


def test_what_nobody_waits_with_is_let_go() -> None:
    table = PairStore[str]()
    one = table.add("one", (), (100, 100), (True, True))
    for instant in range(5):
        served(table, 0, instant, instant)
    assert (table.event_count, table.buffered_count_of(one)) == (5, 5)
    assert served(table, 1, 50, 50) == ["one"]  # which takes the first, and waits no longer
    assert (table.event_count, table.buffered_count_of(one)) == (4, 4)
    table.forget_before(103)
    assert (table.buffered_count_of(one), [each.end for each in table.waiting(2 * one)]) == (
        2,
        [3, 4],
    )
    table.forget_before(1_000)
    assert (table.event_count, table.buffered_count_of(one)) == (0, 0)
    served(table, 0, 1_001, 1_001)
    table.remove(one)
    assert table.event_count == 0


def test_who_has_too_many_is_told_once() -> None:
    table = PairStore[str]()
    table.add("pair", (), (100, 100), (True, True))
    for instant in range(5):
        served(table, 0, instant, instant)
    assert table.owners_over_limit(5) == []
    assert table.owners_over_limit(4) == ["pair"]
    assert table.owners_over_limit(4) == []
