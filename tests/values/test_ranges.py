"""Comparisons that some value can meet, against every value between and beside the limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tocsin.plan.semantics.implication import OPPOSITE, TURNED, can_all_hold

HOLDS = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<>": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
tests = st.lists(st.tuples(st.sampled_from(sorted(HOLDS)), st.integers(0, 3)), max_size=5)


@given(tests)
def test_it_is_so_exactly_where_a_number_meets_them_all(given_tests: list[tuple[str, int]]) -> None:
    halves = [number / 2 for number in range(-2, 10)]
    met = any(
        all(HOLDS[relation](value, limit) for relation, limit in given_tests) for value in halves
    )
    assert can_all_hold(given_tests) is met


@given(st.sampled_from(sorted(HOLDS)), st.integers(0, 3), st.integers(0, 3))
def test_relations_turned_and_opposed(relation: str, left: int, right: int) -> None:
    assert HOLDS[relation](left, right) is HOLDS[TURNED[relation]](right, left)
    assert HOLDS[relation](left, right) is not HOLDS[OPPOSITE[relation]](left, right)
