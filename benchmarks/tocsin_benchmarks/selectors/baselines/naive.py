"""Naive matching: every selector is a closure over an event's attributes, and nothing is shared
between selectors.

Negations stand on predicates, so that "unknown" may count as "does not hold". AND and OR stop at
the first operand that settles them, in the order in which the selector was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Between, BooleanNode, Equals, Not, Ordered
from tocsin.plan.passes.simplify import push_not_down
from tocsin_benchmarks.selectors.baselines import Found, Work, found_in_lists
from tocsin_benchmarks.selectors.baselines.value_tests import Simple, classes_of, simple, value_test

Attributes = Mapping[str, Any]
Closure = Callable[[Attributes], bool]
MakeLiteral = Callable[[Simple, bool], Closure]


class NaiveMatcher:
    """One closure per selector, all of them called for every event."""

    def __init__(self) -> None:
        self._selectors: list[BooleanNode] = []
        self._closures: list[Closure] = []

    def add(self, number: int, selector: BooleanNode) -> None:
        """Compiles one selector."""
        assert number == len(self._closures)
        self._selectors.append(selector)
        self._closures.append(compiled(push_not_down(selector), literal_closure))

    def prepare(self) -> None:
        """Nothing is left to do."""

    def match(self, events: Sequence[Event]) -> Found:
        """Asks every selector about every event."""
        places: list[int] = []
        numbers: list[int] = []
        for place, event in enumerate(events):
            attributes = event.attributes
            hits = [number for number, holds in enumerate(self._closures) if holds(attributes)]
            numbers += hits
            places += [place] * len(hits)
        return found_in_lists(places, numbers)

    def work(self, events: Sequence[Event]) -> Work:
        """Counts the literals that are reached; each of them is an evaluation."""
        calls = 0

        def counted(predicate: Simple, negated: bool) -> Closure:
            holds = literal_closure(predicate, negated)

            def counting(attributes: Attributes) -> bool:
                nonlocal calls
                calls += 1
                return holds(attributes)

            return counting

        for selector in self._selectors:
            closure = compiled(push_not_down(selector), counted)
            for event in events:
                closure(event.attributes)
        return Work(calls, calls)


def compiled(node: BooleanNode, make_literal: MakeLiteral) -> Closure:
    """The closure of an expression in negation normal form."""
    match node:
        case AllOf(operands):
            return _all_of([compiled(operand, make_literal) for operand in operands])
        case AnyOf(operands):
            return _any_of([compiled(operand, make_literal) for operand in operands])
        case Not(predicate):
            return make_literal(simple(predicate), True)
        case _:
            return make_literal(simple(node), False)


def literal_closure(predicate: Simple, negated: bool) -> Closure:
    """The closure of one literal: false where the attribute is absent or of another kind."""
    name, classes, test = predicate.path[0], classes_of(predicate), value_test(predicate)
    if negated:
        return lambda attributes: (
            (value := attributes.get(name)).__class__ in classes and not test(value)
        )
    match predicate:
        case Ordered(_, relation, limit):
            return _ORDERINGS[relation](name, classes, limit.value)
        case Between(_, low, high):
            return _between(name, classes, low.value, high.value)
        case Equals(_, constant):
            return _equals(name, classes, constant.value)
        case _:
            return lambda attributes: (
                (value := attributes.get(name)).__class__ in classes and test(value)
            )


# The comparisons stand in the closures themselves: a second call for each literal would cost a
# third of the speed.
_ORDERINGS: dict[str, Callable[[str, frozenset[type], Any], Closure]] = {
    "<": lambda name, classes, limit: (
        lambda held: (v := held.get(name)).__class__ in classes and v < limit
    ),
    "<=": lambda name, classes, limit: (
        lambda held: (v := held.get(name)).__class__ in classes and v <= limit
    ),
    ">": lambda name, classes, limit: (
        lambda held: (v := held.get(name)).__class__ in classes and v > limit
    ),
    ">=": lambda name, classes, limit: (
        lambda held: (v := held.get(name)).__class__ in classes and v >= limit
    ),
}


def _between(name: str, classes: frozenset[type], low: Any, high: Any) -> Closure:
    return lambda attributes: (
        (value := attributes.get(name)).__class__ in classes and low <= value <= high
    )


def _equals(name: str, classes: frozenset[type], wanted: Any) -> Closure:
    return lambda attributes: (
        (value := attributes.get(name)).__class__ in classes and value == wanted
    )


def _all_of(closures: list[Closure]) -> Closure:
    def holds(attributes: Attributes) -> bool:
        for closure in closures:  # noqa: SIM110 (a loop is twice as fast)
            if not closure(attributes):
                return False
        return True

    return holds


def _any_of(closures: list[Closure]) -> Closure:
    def holds(attributes: Attributes) -> bool:
        for closure in closures:  # noqa: SIM110 (a loop is twice as fast)
            if closure(attributes):
                return True
        return False

    return holds
