"""Literals about one attribute: can a value meet them all, and does a further one follow.

A literal is a predicate, or NOT over one. "No value" and "follows" are certain; in doubt a value is
assumed to exist. Each kind of value is examined for itself: literals about another kind are TRUE of
all its values or of none, by their truth for a mismatch.

Comparisons of one value with limits are judged apart from attributes: between two different limits
a value is assumed to exist. Latitude and longitude have tests that no place on the globe can pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
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
    Predicate,
    needed_kind,
    predicates_of,
    value_truth,
)
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant, Kind
from tocsin.values.truth import Truth

_HOLDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "<>": ne,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}

TURNED: Mapping[str, str] = {
    "=": "=",
    "<>": "<>",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
"""The relation with its sides exchanged: `5 < x` is `x > 5`."""

OPPOSITE: Mapping[str, str] = {
    "=": "!=",
    "<>": "=",
    "!=": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
"""The relation that holds between comparable values exactly if this one does not."""


def can_all_hold(
    tests: Iterable[tuple[str, Any]], also: Callable[[Any], bool] = lambda value: True
) -> bool:
    """True if one value may meet all comparisons, given values of one order; False is certain.

    `also` is a further test, applied if the comparisons leave a single value.
    """
    given = list(tests)
    lows = [value for relation, value in given if relation in ("=", ">", ">=")]
    highs = [value for relation, value in given if relation in ("=", "<", "<=")]
    if not lows or not highs:
        return True
    low, high = max(lows), min(highs)
    if low == high:
        return all(_HOLDS[relation](low, value) for relation, value in given) and also(low)
    return bool(low < high)


Literal = BooleanNode
"""A predicate, or NOT over one."""

NULL = frozenset((Kind.NULL,))
PRESENT = frozenset(Kind) - NULL
_ANY = NULL | PRESENT


def kinds_of(literal: Literal) -> frozenset[Kind]:
    """Return the kinds of value of which a literal can be TRUE; all for other expressions."""
    test = _test_of(literal)
    if test is not None:
        predicate, wanted = test
        is_met_by_others = predicate.mismatch is wanted
        return PRESENT if is_met_by_others else frozenset((needed_kind(predicate),))
    match literal:
        case IsNull():
            return NULL
        case Not(IsNull()):
            return PRESENT
        case _:
            return _ANY


def can_hold(kind: Kind, literals: Sequence[Literal]) -> bool:
    """True if some value of a kind may meet all literals about that kind; others are ignored."""
    tests = [each for each in literals if _is_about(each, kind)]
    candidates = _candidates(tests, kind)
    if candidates is not None:
        return any(_meets(value, tests) for value in candidates)
    limits = [(">=", "")] if kind is Kind.STRING else []
    limits += [limit for test in tests for limit in _limits(test)]
    return can_all_hold(limits, lambda value: _meets(value, tests))


def follows_from(goal: Literal, given: Sequence[Literal]) -> bool:
    """True if a literal is TRUE of every value of which the given literals are TRUE. All are about
    the same attribute.
    """
    if isinstance(goal, Between):
        low = Ordered(goal.path, ">=", goal.low, goal.mismatch)
        high = Ordered(goal.path, "<=", goal.high, goal.mismatch)
        return follows_from(low, given) and follows_from(high, given)
    left = _ANY.intersection(*map(kinds_of, given))
    return all(_follows_for_kind(goal, kind, given) for kind in left)


def _follows_for_kind(goal: Literal, kind: Kind, given: Sequence[Literal]) -> bool:
    if kind not in kinds_of(goal):
        return not can_hold(kind, given)
    if not _is_about(goal, kind):
        # TRUE of the whole kind, unless it is an expression of which nothing is known
        return kinds_of(goal) != _ANY
    if goal in given or not can_hold(kind, (*given, _opposite(goal))):
        return True
    return isinstance(goal, Like) and any(
        _is_narrower(each, goal.pattern) for each in given if _is_about(each, kind)
    )


def _test_of(literal: Literal) -> tuple[AttributePredicate, Truth] | None:
    """Return the predicate that a literal tests values with, and the truth that it must have."""
    match literal:
        case Not(Equals() | Ordered() | Between() | OneOf() | Like() as predicate):
            return predicate, Truth.FALSE
        case Equals() | Ordered() | Between() | OneOf() | Like():
            return literal, Truth.TRUE
        case _:
            return None


def _is_about(literal: Literal, kind: Kind) -> bool:
    """True if a literal is TRUE of some values of a kind, and perhaps not of others."""
    test = _test_of(literal)
    return test is not None and needed_kind(test[0]) is kind


def _opposite(literal: Literal) -> Literal:
    return literal.operand if isinstance(literal, Not) else Not(literal)


def _meets(value: Any, tests: Sequence[Literal]) -> bool:
    wanted = (test for each in tests if (test := _test_of(each)) is not None)
    return all(value_truth(predicate, value) is truth for predicate, truth in wanted)


def _candidates(tests: Sequence[Literal], kind: Kind) -> list[Any] | None:
    """Return all values that one of the tests leaves; None if they cannot be listed."""
    for test in tests:
        match test:
            case Equals(_, constant):
                return [constant.value]
            case OneOf(_, constants):
                return [constant.value for constant in constants]
            case Like(_, pattern) if len(pattern.literals()) == len(pattern.tokens):
                return ["".join(pattern.literals())]
    return [True, False] if kind is Kind.BOOLEAN else None


def _limits(test: Literal) -> Iterator[tuple[str, Any]]:
    match test:
        case Ordered(_, relation, limit):
            yield relation, limit.value
        case Not(Ordered(_, relation, limit)):
            yield OPPOSITE[relation], limit.value
        case Between(_, low, high):
            yield ">=", low.value
            yield "<=", high.value


def _is_narrower(test: Literal, wide: LikePattern) -> bool:
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


_LIMITS = {
    **dict.fromkeys(("lat", "latitude"), ("latitude", 90)),
    **dict.fromkeys(("lon", "lng", "long", "longitude"), ("longitude", 360)),
}
"""Limits by the last step of a path; longitudes are also counted from 0 to 360."""


def tests_off_the_globe(node: BooleanNode) -> Iterator[tuple[Predicate, str]]:
    """Yield the predicates that no latitude or longitude passes, each with a message."""
    for predicate in predicates_of(node):
        match predicate:
            case Equals(path) | Ordered(path) | Between(path) | OneOf(path) if (
                path[-1].lower() in _LIMITS
            ):
                word, limit = _LIMITS[path[-1].lower()]
                globe = Between(path, Constant.of(-limit), Constant.of(limit))
                is_number = needed_kind(predicate) is Kind.NUMBER
                if is_number and not can_hold(Kind.NUMBER, (predicate, globe)):
                    yield predicate, f"a {word} lies between {-limit} and {limit}"
