"""Allen relations. Exactly one of thirteen holds between two proper intervals.

An instant is [t, t]; for instants, several may hold. Seven relations are defined by their bounds;
the other six swap the arguments of one of these. `Un` before a name is the exact complement. In
mode proper, all but Equals, Before and After hold between proper intervals only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache

from tocsin.errors import MeaningProblem
from tocsin.values.time import Instant, Interval

Bounds = Callable[[Instant, Instant, Instant, Instant], bool]

NEGATION = "Un"
"""Prefix of a relation's name for its complement."""


class Allen(Enum):
    """The thirteen relations of Allen."""

    EQUALS = "Equals"
    BEFORE = "Before"
    AFTER = "After"
    MEETS = "Meets"
    MET_BY = "MetBy"
    OVERLAPS = "Overlaps"
    OVERLAPPED_BY = "OverlappedBy"
    STARTS = "Starts"
    STARTED_BY = "StartedBy"
    FINISHES = "Finishes"
    FINISHED_BY = "FinishedBy"
    DURING = "During"
    CONTAINS = "Contains"


BOUNDS: Mapping[Allen, Bounds] = {
    Allen.EQUALS: lambda b1, f1, b2, f2: b1 == b2 and f1 == f2,
    Allen.BEFORE: lambda b1, f1, b2, f2: f1 < b2,
    Allen.MEETS: lambda b1, f1, b2, f2: f1 == b2,
    Allen.OVERLAPS: lambda b1, f1, b2, f2: b1 < b2 < f1 < f2,
    Allen.STARTS: lambda b1, f1, b2, f2: b1 == b2 and f1 < f2,
    Allen.FINISHES: lambda b1, f1, b2, f2: b2 < b1 and f1 == f2,
    Allen.DURING: lambda b1, f1, b2, f2: b2 < b1 and f1 < f2,
}
"""The seven relations by begin and end of the first and of the second interval."""

INVERSE: Mapping[Allen, Allen] = {
    Allen.AFTER: Allen.BEFORE,
    Allen.MET_BY: Allen.MEETS,
    Allen.OVERLAPPED_BY: Allen.OVERLAPS,
    Allen.STARTED_BY: Allen.STARTS,
    Allen.FINISHED_BY: Allen.FINISHES,
    Allen.CONTAINS: Allen.DURING,
}
"""The other six: the same relation with its arguments swapped."""

_OF_INSTANTS = frozenset((Allen.EQUALS, Allen.BEFORE, Allen.AFTER))
"""Relations that OWL-Time, too, defines between instants."""


def holds(relation: Allen, first: Interval, second: Interval, *, proper: bool = False) -> bool:
    """True if the relation holds from the first interval to the second."""
    if proper and relation not in _OF_INSTANTS and not (_is_proper(first) and _is_proper(second)):
        return False
    if relation in INVERSE:
        relation, first, second = INVERSE[relation], second, first
    return BOUNDS[relation](first.start, first.end, second.start, second.end)


def stands(name: str, first: Interval, second: Interval, *, proper: bool = False) -> bool:
    """True if the named relation, `Before` or `UnBefore`, holds from the first interval to the
    second.
    """
    relation, negated = relation_of(name)
    return holds(relation, first, second, proper=proper) is not negated


@cache
def bounds_test(name: str, proper: bool = False) -> Bounds:
    """Return the named relation as a test of four bounds, built once, for loops over many pairs."""
    relation, negated = relation_of(name)
    swapped = relation in INVERSE
    test = BOUNDS[INVERSE.get(relation, relation)]
    only_proper = proper and relation not in _OF_INSTANTS

    def stands_so(b1: Instant, f1: Instant, b2: Instant, f2: Instant) -> bool:
        if only_proper and (b1 == f1 or b2 == f2):
            return negated
        return (test(b2, f2, b1, f1) if swapped else test(b1, f1, b2, f2)) is not negated

    return stands_so


def relation_of(name: str) -> tuple[Allen, bool]:
    """Return the relation of a name, and True if it is negated; `UnUnBefore` is Before."""
    negated = False
    while name.startswith(NEGATION):
        name, negated = name.removeprefix(NEGATION), not negated
    try:
        return Allen(name), negated
    except ValueError:
        known = ", ".join(each.value for each in Allen)
        raise MeaningProblem(
            f"{name!r} is no relation of intervals", token=name, hint=f"one of {known}"
        ) from None


def _is_proper(interval: Interval) -> bool:
    return interval.start < interval.end
