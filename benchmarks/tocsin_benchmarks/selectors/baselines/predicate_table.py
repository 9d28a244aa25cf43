"""Distinct predicates by number, and a table of their results that starts empty for each event.

What the algorithms that are compared like for like have in common: the same predicates, evaluated
by the same code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tocsin.plan.nodes.atoms import Predicate
from tocsin_benchmarks.selectors.baselines.value_tests import classes_of, simple, value_test

FALSE, TRUE, UNKNOWN, UNSET = range(4)

Attributes = Any
Evaluate = Callable[[Attributes], int]


class PredicateTable:
    """Equal predicates have one number."""

    def __init__(self) -> None:
        self._numbers: dict[Predicate, int] = {}
        self.evaluators: list[Evaluate] = []

    def number_of(self, predicate: Predicate) -> int:
        """The number of a predicate, which is new where it was not seen before."""
        number = self._numbers.setdefault(predicate, len(self.evaluators))
        if number == len(self.evaluators):
            self.evaluators.append(_evaluator(predicate))
        return number

    def empty(self) -> bytearray:
        """A table in which nothing is evaluated yet."""
        return bytearray((UNSET,)) * len(self.evaluators)


def evaluations_in(results: bytearray) -> int:
    """How many predicates a table knows the result of."""
    return len(results) - results.count(UNSET)


def _evaluator(predicate: Predicate) -> Evaluate:
    served = simple(predicate)
    name, classes, test = served.path[0], classes_of(served), value_test(served)

    def evaluate(attributes: Attributes) -> int:
        value = attributes.get(name)
        return int(test(value)) if value.__class__ in classes else UNKNOWN

    return evaluate
