"""Attributes named latitude or longitude, and tests of them that no place on the globe can pass."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.plan.nodes.atoms import (
    Between,
    BooleanNode,
    Equals,
    OneOf,
    Ordered,
    Predicate,
    needed_kind,
    predicates_of,
)
from tocsin.plan.semantics.implication import can_hold
from tocsin.values.scalars import Constant, Kind

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
