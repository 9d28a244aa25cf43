"""The index of one attribute for the counting algorithm: which counters go up for a value of the
attribute.

A posting is one occurrence of a literal in a conjunct. The postings that a value satisfies are
found without looking at each literal: a hash for = and IN, a slice of a sorted array for orderings,
a slice and one comparison for BETWEEN. LIKE and what is negated is tested one distinct literal at a
time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from tocsin.plan.nodes.atoms import Between, Equals, OneOf, Ordered
from tocsin_benchmarks.selectors.baselines import Numbers
from tocsin_benchmarks.selectors.baselines.conjuncts import Literal
from tocsin_benchmarks.selectors.baselines.value_tests import ValueTest, classes_of

Tested = tuple[frozenset[type], ValueTest, Numbers]

_BOUND: dict[str, Callable[[list[Any], Any], slice]] = {
    "<": lambda limits, value: slice(bisect_right(limits, value), None),
    "<=": lambda limits, value: slice(bisect_left(limits, value), None),
    ">": lambda limits, value: slice(0, bisect_left(limits, value)),
    ">=": lambda limits, value: slice(0, bisect_right(limits, value)),
}


class AttributeIndex:
    """Filled with `add`, closed with `prepare`, then asked with `satisfied`."""

    def __init__(self) -> None:
        self._postings: dict[Literal, list[int]] = defaultdict(list)
        self._equal: dict[tuple[type, Any], Numbers] = {}
        self._ordered: list[tuple[str, list[Any], Numbers]] = []
        self._lows: list[Any] = []
        self._highs = np.empty(0)
        self._ranged: Numbers = np.empty(0, np.int32)
        self._tested: list[Tested] = []

    def add(self, literal: Literal, conjunct: int) -> None:
        """One more posting."""
        self._postings[literal].append(conjunct)

    def prepare(self) -> None:
        """Sorts the postings into their structures."""
        postings, self._postings = self._postings, {}
        hashed = [(one, held) for one, held in postings.items() if _is(one, Equals, OneOf)]
        ordered = [(one, held) for one, held in postings.items() if _is(one, Ordered)]
        ranged = [(one, held) for one, held in postings.items() if _is(one, Between)]
        rest = postings.keys() - {one for part in (hashed, ordered, ranged) for one, _ in part}
        self._prepare_hash(hashed)
        self._ordered = [_sorted_limits(relation, ordered) for relation in _BOUND]
        self._prepare_ranges(ranged)
        self._tested = [
            (classes_of(one.predicate), one.test(), _array(postings[one])) for one in rest
        ]

    def satisfied(self, value: Any) -> tuple[list[Numbers], int]:
        """The postings whose literals hold for the value, in pieces, and how many tests it took."""
        pieces = [
            held
            for classes, test, held in self._tested
            if value.__class__ in classes and test(value)
        ]
        tests = len(self._tested) + 1
        equal = self._equal.get((_class(value), value)) if value.__hash__ else None
        if equal is not None:
            pieces.append(equal)
        if _class(value) is int:
            pieces += [
                held[_BOUND[relation](limits, value)] for relation, limits, held in self._ordered
            ]
            begun = bisect_right(self._lows, value)
            pieces.append(self._ranged[:begun][self._highs[:begun] >= value])
            tests += len(self._ordered) + begun
        return pieces, tests

    def _prepare_hash(self, hashed: list[tuple[Literal, list[int]]]) -> None:
        gathered: dict[tuple[type, Any], list[int]] = defaultdict(list)
        for literal, held in hashed:
            predicate = literal.predicate
            constants = predicate.values if isinstance(predicate, OneOf) else (predicate.value,)  # type: ignore[union-attr]
            for constant in constants:
                gathered[_class(constant.value), constant.value] += held
        self._equal = {key: _array(held) for key, held in gathered.items()}

    def _prepare_ranges(self, ranged: list[tuple[Literal, list[int]]]) -> None:
        entries = sorted(
            (one.predicate.low.value, one.predicate.high.value, conjunct)  # type: ignore[union-attr]
            for one, held in ranged
            for conjunct in held
        )
        self._lows = [low for low, _, _ in entries]
        self._highs = np.array([high for _, high, _ in entries], np.float64)
        self._ranged = _array([conjunct for _, _, conjunct in entries])


def _is(literal: Literal, *kinds: type) -> bool:
    return isinstance(literal.predicate, kinds) and not literal.negated


def _sorted_limits(
    relation: str, ordered: list[tuple[Literal, list[int]]]
) -> tuple[str, list[Any], Numbers]:
    """Limits in order, each as often as it has postings, and the postings beside them."""
    entries = sorted(
        (one.predicate.limit.value, conjunct)  # type: ignore[union-attr]
        for one, held in ordered
        if one.predicate.relation == relation  # type: ignore[union-attr]
        for conjunct in held
    )
    return relation, [limit for limit, _ in entries], _array([conjunct for _, conjunct in entries])


def _class(value: Any) -> type:
    """Whole and other numbers are one kind."""
    given: type = value.__class__
    return int if given is float else given


def _array(numbers: list[int]) -> Numbers:
    return np.array(numbers, np.int32)
