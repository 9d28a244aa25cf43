"""Attributes named latitude or longitude, and tests of them that no place on the globe can pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tocsin.plan.nodes.atoms import (
    Between,
    BooleanNode,
    Equals,
    OneOf,
    Ordered,
    Predicate,
    predicates_of,
)
from tocsin.values.ranges import can_all_hold
from tocsin.values.scalars import Kind, kind_of

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
                globe = [(">=", -limit), ("<=", limit)]
                tests = list(_tests(predicate))
                if tests and not any(can_all_hold([*globe, *each]) for each in tests):
                    yield predicate, f"a {word} lies between {-limit} and {limit}"


def _tests(predicate: Equals | Ordered | Between | OneOf) -> Iterator[list[tuple[str, Any]]]:
    """Yield the limits of a predicate on a number, one list per alternative; nothing for a text."""
    match predicate:
        case Equals(_, constant):
            found = [[("=", constant.value)]]
        case Ordered(_, relation, limit):
            found = [[(relation, limit.value)]]
        case Between(_, low, high):
            found = [[(">=", low.value), ("<=", high.value)]]
        case OneOf(_, constants):
            found = [[("=", constant.value)] for constant in constants]
    if all(kind_of(value) is Kind.NUMBER for tests in found for _, value in tests):
        yield from found
