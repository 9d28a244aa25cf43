"""Evaluation of conditions on occurrences, for joins, restrictions and absences: one function per
kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any, assert_never

from tocsin.plan.bindings import Row
from tocsin.plan.nodes.composites import (
    AfterInstant,
    AtRegion,
    DuringWindow,
    End,
    Fulfilling,
    JoinCondition,
    Keyed,
    Meeting,
    Moment,
    NamedCondition,
    Near,
    PartAttribute,
    Precedes,
    Related,
    Restriction,
    Share,
    Stands,
)
from tocsin.plan.nodes.measures import Apart, Lasts, Satisfies
from tocsin.plan.semantics.measure_evaluation import key_of, satisfies
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.plan.xml.row_evaluation import meets_condition
from tocsin.plan.xml.row_functions import WorkLimitExceeded
from tocsin.plan.xml.row_terms import RowCondition
from tocsin.plan.xml.xml_patterns import bound_scalar
from tocsin.values.allen import bounds_test
from tocsin.values.partition_hash import partition_of
from tocsin.values.scalars import Kind, kind_of
from tocsin.values.space import Geometry, are_related, parse_place
from tocsin.values.time import Duration, Instant

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
_SCALARS = (Kind.BOOLEAN, Kind.NUMBER, Kind.STRING)


def meets(
    condition: JoinCondition, parts: Sequence[Occurrence], names: Mapping[str, Occurrence]
) -> bool:
    """True if the parts of a join, whose named parts are `names`, meet a condition."""
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            first, second = _instant(earlier, parts) + gap, _instant(later, parts)
            return first < second or (or_equal and first == second)
        case Near(part, relation, other, distance, metric):
            place, near = parts[part].place_by(metric), parts[other].place_by(metric)
            return (
                place is not None
                and near is not None
                and are_related(place, relation, near, distance, metric)
            )
        case Stands(part, relation, other, proper):
            one, two = parts[part], parts[other]
            return _relation(relation, proper)(one.start, one.end, two.start, two.end)
        case Lasts(limit):
            start, end = min(each.start for each in parts), max(each.end for each in parts)
            return end - start <= limit
        case Related() | Satisfies() | Apart():
            return _is_met(condition, names)
        case _:
            assert_never(condition)


def fulfils(condition: NamedCondition, whole: Occurrence) -> bool:
    """True if an occurrence and the named parts in it meet a condition."""
    if isinstance(condition, Lasts):
        return whole.end - whole.start <= condition.limit
    return _is_met(condition, whole.names)


def _is_met(condition: Related | Satisfies | Apart, names: Mapping[str, Occurrence]) -> bool:
    match condition:
        case Related():
            return compare(condition, names)
        case Satisfies(expression):
            return satisfies(expression, names)
        case Apart():
            return _distance_holds(condition, names)
        case _:
            assert_never(condition)


def _distance_holds(condition: Apart, names: Mapping[str, Occurrence]) -> bool:
    parts = (names.get(condition.name), names.get(condition.other))
    one, other = (None if each is None else each.place_by(condition.metric) for each in parts)
    if one is None or other is None:
        return False
    return (
        are_related(one, condition.relation, other, condition.distance, condition.metric)
        is not condition.negated
    )


def compare(condition: Related, names: Mapping[str, Occurrence]) -> bool:
    """True if two attributes meet the comparison; False if one is missing, or their kinds do not
    allow it.
    """
    left, right = _value(condition.left, names), _value(condition.right, names)
    return comparable(left, condition.relation, right) and COMPARISONS[condition.relation](
        left, right
    )


def concerns(conditions: Sequence[NamedCondition], absent: Occurrence, other: Occurrence) -> bool:
    """True if the absence, whose other part is known, counts this occurrence of its absent part.

    The rows that it belongs to are compared elsewhere.
    """
    if not conditions:
        return True
    names = {**other.names, **absent.names}
    return all(isinstance(each, Lasts) or _is_met(each, names) for each in conditions)


def comparable(left: object, relation: str, right: object) -> bool:
    """True if a relation between two values is defined.

    It is between scalars of one kind, and between numbers for an order.
    """
    kind = kind_of(left)
    if kind is not kind_of(right) or kind not in _SCALARS:
        return False
    return kind is Kind.NUMBER or relation in ("=", "<>")


def allows(restriction: Restriction, occurrence: Occurrence) -> bool:
    """True if an occurrence meets a restriction."""
    match restriction:
        case DuringWindow(start, length):
            return occurrence.start > start and occurrence.end <= start + length
        case AfterInstant(instant):
            return occurrence.start > instant
        case AtRegion(relation, region, distance, metric):
            place = occurrence.place_by(metric)
            return place is not None and are_related(
                place, relation, _region(region), distance, metric
            )
        case Meeting(conditions):
            return any(_meets_all(conditions, row) for row in occurrence.rows)
        case Fulfilling(named):
            return all(fulfils(each, occurrence) for each in named)
        case Keyed(by):
            return key_of(by, occurrence.members) is not None
        case Share(by, number, shares):
            found = ([each.attribute(path) for path in by] for each in occurrence.members)
            return all(partition_of(values, shares) == number for values in found)
        case _:
            assert_never(restriction)


def window_start(instant: Instant, length: Duration) -> Instant:
    """Return the start of the tumbling window with an instant in it, counted from the epoch."""
    return (instant - 1) // length * length


def _meets_all(conditions: Sequence[RowCondition], row: Row) -> bool:
    """True if a row meets conditions; one beyond the work limit does not, and detection goes on."""
    try:
        return all(meets_condition(each, row) for each in conditions)
    except WorkLimitExceeded:
        return False


@lru_cache(maxsize=1024)
def _region(text: str) -> Geometry:
    """Return the geometry of a region, cached: its text is the same for every occurrence."""
    return parse_place(text)


def _instant(moment: Moment, parts: Sequence[Occurrence]) -> Instant:
    part = parts[moment.part]
    return part.start if moment.end is End.START else part.end


_relation = lru_cache(maxsize=64)(bounds_test)


def _value(attribute: PartAttribute, names: Mapping[str, Occurrence]) -> Any:
    occurrence = names.get(attribute.name)
    if occurrence is None or len(occurrence.members) != 1:
        return None
    if attribute.variable:
        return bound_scalar(occurrence.rows, attribute.variable)
    return occurrence.members[0].attribute(attribute.path)
