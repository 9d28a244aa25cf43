"""The truth of one predicate for one event, by the definition of each kind."""

from __future__ import annotations

from typing import Any, assert_never

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import (
    Between,
    Computed,
    Equals,
    IsNull,
    Like,
    OneOf,
    Ordered,
    PlaceIs,
    Predicate,
)
from tocsin.reference.computed import computed_truth
from tocsin.reference.places import are_related
from tocsin.reference.values import is_like, is_ordered, sort_of
from tocsin.values.scalars import Kind
from tocsin.values.space import parse_place
from tocsin.values.truth import Truth

_SORTS = {Kind.BOOLEAN: "truth", Kind.NUMBER: "number", Kind.STRING: "text"}


def predicate_truth(predicate: Predicate, event: Event) -> Truth:
    """Return the truth of a predicate: UNKNOWN if missing, its `mismatch` for another sort."""
    match predicate:
        case Computed(expression, semantics):
            return computed_truth(expression, semantics, event)
        case IsNull(path):
            return _certain(sort_of(event.attribute(path)) == "nothing")
        case PlaceIs(relation, region, distance, metric):
            return _certain(
                are_related(event.place, relation, parse_place(region), distance, metric)
            )
        case Equals() | Ordered() | Between() | OneOf() | Like():
            return _truth_of_value(predicate, event.attribute(predicate.path))
        case _:
            assert_never(predicate)


def _truth_of_value(predicate: Equals | Ordered | Between | OneOf | Like, value: Any) -> Truth:
    sort = sort_of(value)
    if sort == "nothing":
        return Truth.UNKNOWN
    match predicate:
        case Equals(_, constant):
            wanted, found = _SORTS[constant.kind], value == constant.value
        case Ordered(_, relation, limit):
            wanted = _SORTS[limit.kind]
            found = sort == wanted and is_ordered(value, relation, limit.value)
        case Between(_, low, high):
            wanted = _SORTS[low.kind]
            found = (
                sort == wanted
                and is_ordered(value, ">=", low.value)
                and is_ordered(value, "<=", high.value)
            )
        case OneOf(_, values):
            wanted = _SORTS[next(iter(values)).kind]
            found = any(value == each.value for each in values)
        case Like(_, pattern):
            wanted, found = "text", sort == "text" and is_like(value, pattern)
        case _:
            assert_never(predicate)
    return _certain(found) if sort == wanted else predicate.mismatch


def _certain(value: bool) -> Truth:
    return Truth.TRUE if value else Truth.FALSE
