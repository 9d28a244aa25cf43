"""The values of one attribute that some tests allow, and whether a further test is TRUE of all of
them. A yes is certain; in doubt the answer is no.

A value is of one kind. For null, truth values, and kinds without a test the answer is immediate;
numbers and texts are decided by a list of candidates or by bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.plan.nodes.atoms import (
    AttributePredicate,
    Between,
    BooleanNode,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
    needed_kind,
    value_truth,
)
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Kind
from tocsin.values.truth import Truth, negation

_ALL = frozenset(Kind)
_NULL = frozenset((Kind.NULL,))
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TESTS = (Equals, Ordered, Between, OneOf, Like)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Interval of values; None for no bound. With `open_low` or `open_high` the bound itself is
    excluded.
    """

    low: Any = None
    high: Any = None
    open_low: bool = False
    open_high: bool = False

    def is_above(self, limit: Any, *, or_equal: bool) -> bool:
        """True if every value is above a limit or, with `or_equal`, equal to it."""
        if self.low is None:
            return False
        return bool(self.low > limit or (self.low == limit and (or_equal or self.open_low)))

    def is_below(self, limit: Any, *, or_equal: bool) -> bool:
        """True if every value is below a limit or, with `or_equal`, equal to it."""
        if self.high is None:
            return False
        return bool(self.high < limit or (self.high == limit and (or_equal or self.open_high)))

    def leaves_out(self, value: Any) -> bool:
        """True if a value is outside of the interval."""
        return self.is_above(value, or_equal=False) or self.is_below(value, or_equal=False)


def follows_from(literal: BooleanNode, given: Sequence[BooleanNode]) -> bool:
    """True if a literal is TRUE of every value of which the given literals are TRUE. All are about
    the same attribute.
    """
    kinds = _ALL.intersection(*map(_kinds, given))
    return all(_is_true_of_kind(literal, kind, given) for kind in kinds)


def _kinds(literal: BooleanNode) -> frozenset[Kind]:
    """Return the kinds of value of which a literal can be TRUE."""
    match literal:
        case IsNull():
            return _NULL
        case Not(IsNull()):
            return _ALL - _NULL
        case Not(Equals() | Ordered() | Between() | OneOf() | Like() as predicate):
            return _test_kinds(predicate, negation(predicate.mismatch))
        case Equals() | Ordered() | Between() | OneOf() | Like():
            return _test_kinds(literal, literal.mismatch)
        case _:
            return _ALL


def _test_kinds(predicate: AttributePredicate, of_others: Truth) -> frozenset[Kind]:
    return _ALL - _NULL if of_others is Truth.TRUE else frozenset((needed_kind(predicate),))


def _is_true_of_kind(literal: BooleanNode, kind: Kind, given: Sequence[BooleanNode]) -> bool:
    match literal:
        case IsNull():
            return kind is Kind.NULL
        case Not(IsNull()):
            return kind is not Kind.NULL
        case Not(Equals() | Ordered() | Between() | OneOf() | Like() as predicate):
            others = negation(predicate.mismatch)
        case Equals() | Ordered() | Between() | OneOf() | Like():
            predicate, others = literal, literal.mismatch
        case _:
            return False
    if kind is Kind.NULL:
        return False
    if kind is not needed_kind(predicate):
        return others is Truth.TRUE
    tests = [each for each in given if _is_about(each, kind)]
    candidates = _candidates(tests, kind)
    if candidates is not None:
        left = [value for value in candidates if all(_is_true(test, value) for test in tests)]
        return all(_is_true(literal, value) for value in left)
    return literal in tests or _lies_within(literal, _bounds(tests), tests)


def _is_about(literal: BooleanNode, kind: Kind) -> bool:
    predicate = literal.operand if isinstance(literal, Not) else literal
    return isinstance(predicate, _TESTS) and needed_kind(predicate) is kind


def _is_true(test: BooleanNode, value: Any) -> bool:
    match test:
        case Not(Equals() | Ordered() | Between() | OneOf() | Like() as predicate):
            return value_truth(predicate, value) is Truth.FALSE
        case Equals() | Ordered() | Between() | OneOf() | Like():
            return value_truth(test, value) is Truth.TRUE
        case _:
            return False


def _candidates(tests: Sequence[BooleanNode], kind: Kind) -> list[Any] | None:
    """Return all values that the tests can allow; None if these cannot be listed."""
    for test in tests:
        match test:
            case Equals(_, constant):
                return [constant.value]
            case OneOf(_, constants):
                return [constant.value for constant in constants]
            case Like(_, pattern) if len(pattern.literals()) == len(pattern.tokens):
                return ["".join(pattern.literals())]
    return [True, False] if kind is Kind.BOOLEAN else None


def _bounds(tests: Sequence[BooleanNode]) -> Bounds:
    found = Bounds()
    for test in tests:
        for relation, limit in _limits(test):
            found = _tightened(found, relation, limit)
    return found


def _limits(test: BooleanNode) -> Iterator[tuple[str, Any]]:
    match test:
        case Ordered(_, relation, limit):
            yield relation, limit.value
        case Not(Ordered(_, relation, limit)):
            yield _OPPOSITE[relation], limit.value
        case Between(_, low, high):
            yield ">=", low.value
            yield "<=", high.value


def _tightened(bounds: Bounds, relation: str, limit: Any) -> Bounds:
    is_open = "=" not in relation
    if relation.startswith(">"):
        if bounds.is_above(limit, or_equal=not is_open):
            return bounds
        return Bounds(limit, bounds.high, is_open, bounds.open_high)
    if bounds.is_below(limit, or_equal=not is_open):
        return bounds
    return Bounds(bounds.low, limit, bounds.open_low, is_open)


def _lies_within(literal: BooleanNode, bounds: Bounds, tests: Sequence[BooleanNode]) -> bool:
    """True if a literal is TRUE of all values within bounds that pass the tests."""
    match literal:
        case Ordered(_, relation, limit):
            return _holds(bounds, relation, limit.value)
        case Not(Ordered(_, relation, limit)):
            return _holds(bounds, _OPPOSITE[relation], limit.value)
        case Between(_, low, high):
            return _holds(bounds, ">=", low.value) and _holds(bounds, "<=", high.value)
        case Not(Between(_, low, high)):
            return _holds(bounds, "<", low.value) or _holds(bounds, ">", high.value)
        case Equals(_, constant):
            return _is_point(bounds, constant.value)
        case OneOf(_, constants):
            return any(_is_point(bounds, each.value) for each in constants)
        case Not(Equals(_, constant)):
            return _is_left_out(constant.value, bounds, tests)
        case Not(OneOf(_, constants)):
            return all(_is_left_out(each.value, bounds, tests) for each in constants)
        case Like(_, pattern):
            return any(_is_narrower(each, pattern) for each in tests)
        case _:
            return False


def _holds(bounds: Bounds, relation: str, limit: Any) -> bool:
    asks = bounds.is_above if relation.startswith(">") else bounds.is_below
    return asks(limit, or_equal="=" in relation)


def _is_point(bounds: Bounds, value: Any) -> bool:
    return bounds.is_above(value, or_equal=True) and bounds.is_below(value, or_equal=True)


def _is_left_out(value: Any, bounds: Bounds, tests: Sequence[BooleanNode]) -> bool:
    return bounds.leaves_out(value) or any(not _is_true(test, value) for test in tests)


def _is_narrower(test: BooleanNode, wide: LikePattern) -> bool:
    """True if each text that passes a test fits a pattern with a known prefix, suffix or infix."""
    if not isinstance(test, Like):
        return wide.tokens == (Wild.ANY_RUN,)
    texts, tokens = test.pattern.literals(), test.pattern.tokens
    match wide.tokens:
        case (Wild.ANY_RUN,):
            return True
        case (str() as prefix, Wild.ANY_RUN):
            return bool(tokens) and isinstance(tokens[0], str) and tokens[0].startswith(prefix)
        case (Wild.ANY_RUN, str() as suffix):
            return bool(tokens) and isinstance(tokens[-1], str) and tokens[-1].endswith(suffix)
        case (Wild.ANY_RUN, str() as inner, Wild.ANY_RUN):
            return any(inner in text for text in texts)
        case _:
            return False
