"""Conditions on occurrences, each kind by its definition, evaluated anew for every pair.

Allen's relations compare the begin and end of two intervals, b1 f1 and b2 f2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import eq, lt
from typing import Any, assert_never

from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AtRegion,
    BetweenWindow,
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
    names_of,
)
from tocsin.plan.nodes.expressions import Apart, Lasts, Satisfies
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.plan.xml.row_terms import RowCondition
from tocsin.reference.measures import is_satisfied, key_of, names_in
from tocsin.reference.occurrence import ReferenceOccurrence
from tocsin.reference.places import are_related
from tocsin.reference.row_values import truth_in
from tocsin.reference.values import bound_scalar, compare_scalars
from tocsin.values.partition_hash import partition_of
from tocsin.values.space import parse_place
from tocsin.values.time import Instant
from tocsin.values.truth import Truth

DEFINITIONS: Mapping[str, str] = {
    "Equals": "b1 = b2, f1 = f2",
    "Before": "f1 < b2",
    "After": "f2 < b1",
    "Meets": "f1 = b2",
    "MetBy": "f2 = b1",
    "Overlaps": "b1 < b2, b2 < f1, f1 < f2",
    "OverlappedBy": "b2 < b1, b1 < f2, f2 < f1",
    "Starts": "b1 = b2, f1 < f2",
    "StartedBy": "b1 = b2, f2 < f1",
    "Finishes": "f1 = f2, b2 < b1",
    "FinishedBy": "f1 = f2, b1 < b2",
    "During": "b2 < b1, f1 < f2",
    "Contains": "b1 < b2, f2 < f1",
}
"""All thirteen, each on its own: none is defined as an inverse here."""

_BETWEEN_INSTANTS = ("Equals", "Before", "After")
_COMPARISONS = {"=": eq, "<": lt}
_COMPLEMENT = "Un"

Bounds = tuple[Instant, Instant]


def stands(name: str, first: Bounds, second: Bounds, *, proper: bool) -> bool:
    """True if the first interval stands in the relation to the second.

    `Un` before a name is its complement.
    """
    if name.startswith(_COMPLEMENT):
        return not stands(name.removeprefix(_COMPLEMENT), first, second, proper=proper)
    if (
        proper
        and name not in _BETWEEN_INSTANTS
        and (first[0] == first[1] or second[0] == second[1])
    ):
        return False
    bounds = {"b1": first[0], "f1": first[1], "b2": second[0], "f2": second[1]}
    return all(_holds(each, bounds) for each in DEFINITIONS[name].split(", "))


def _holds(comparison: str, bounds: Mapping[str, Instant]) -> bool:
    left, sign, right = comparison.split()
    return bool(_COMPARISONS[sign](bounds[left], bounds[right]))


def meets(
    condition: JoinCondition,
    parts: Sequence[ReferenceOccurrence],
    names: Mapping[str, ReferenceOccurrence],
) -> bool:
    """True if the parts of a join, whose named parts are `names`, meet a condition."""
    match condition:
        case Precedes(earlier, later, gap, or_equal):
            apart = _instant(later, parts) - _instant(earlier, parts)
            return apart >= gap if or_equal else apart > gap
        case Near(part, relation, other, distance, metric):
            places = (parts[part].place_by(metric), parts[other].place_by(metric))
            return are_related(places[0], relation, places[1], distance, metric)
        case Stands(part, relation, other, proper):
            first, second = parts[part], parts[other]
            return stands(
                relation, (first.start, first.end), (second.start, second.end), proper=proper
            )
        case Lasts(limit):
            return max(each.end for each in parts) <= min(each.start for each in parts) + limit
        case Related() | Satisfies() | Apart():
            return _is_met_by(condition, names)
        case _:
            assert_never(condition)


def is_met(condition: NamedCondition, whole: ReferenceOccurrence) -> bool:
    """True if an occurrence, or its named parts, meet a condition."""
    if isinstance(condition, Lasts):
        return whole.end <= whole.start + condition.limit
    return _is_met_by(condition, whole.names)


def _is_met_by(
    condition: Related | Satisfies | Apart, names: Mapping[str, ReferenceOccurrence]
) -> bool:
    match condition:
        case Related():
            return compare(condition, names)
        case Satisfies(expression):
            return is_satisfied(expression, names)
        case Apart(one, relation, other, distance, metric, negated):
            places = [
                names[name].place_by(metric) if name in names else None for name in (one, other)
            ]
            if None in places:
                return False
            return negated is not are_related(places[0], relation, places[1], distance, metric)
        case _:
            assert_never(condition)


def compare(condition: Related, names: Mapping[str, ReferenceOccurrence]) -> bool:
    """True if the relation holds between two attributes of named parts.

    Attributes of a composite are null.
    """
    left, right = _attribute(condition.left, names), _attribute(condition.right, names)
    return compare_scalars(left, condition.relation, right)


def concerns(
    conditions: Sequence[NamedCondition], absent: ReferenceOccurrence, other: ReferenceOccurrence
) -> bool:
    """True if an occurrence of the absent part meets the conditions together with the other."""
    names = {**other.names, **absent.names}
    return all(_is_met_by(each, names) for each in conditions if not isinstance(each, Lasts))


def allows(restriction: Restriction, occurrence: ReferenceOccurrence) -> bool:
    """True if an occurrence meets a restriction on fixed time, space, bindings, key or share."""
    match restriction:
        case DuringWindow(start, length):
            return start < occurrence.start and occurrence.end - start <= length
        case AfterInstant(instant):
            return instant < occurrence.start
        case AtRegion(relation, region, distance, metric):
            return are_related(
                occurrence.place_by(metric), relation, parse_place(region), distance, metric
            )
        case Meeting(conditions):
            return any(_meets_all(conditions, dict(row)) for row in occurrence.rows)
        case Fulfilling(named):
            return all(is_met(each, occurrence) for each in named)
        case Keyed(by):
            return key_of(by, occurrence) is not None
        case Share(by, number, shares):
            keys = [[each.attribute(path) for path in by] for each in occurrence.members]
            return {partition_of(key, shares) for key in keys} <= {number}
        case _:
            assert_never(restriction)


def _meets_all(conditions: Sequence[RowCondition], row: Mapping[str, Any]) -> bool:
    """True if a row meets all conditions; False if the work limit is exceeded."""
    try:
        return all(truth_in(each, row) is Truth.TRUE for each in conditions)
    except WorkLimitExceeded:
        return False


def conditions_on_bounds(absence: Absence) -> tuple[NamedCondition, ...]:
    """Return the conditions on the two parts around a window only."""
    return tuple(each for each in absence.conditions if _is_about_bounds(absence, each))


def conditions_on_absent(absence: Absence) -> tuple[NamedCondition, ...]:
    """Return the conditions that involve the absent part."""
    return tuple(each for each in absence.conditions if not _is_about_bounds(absence, each))


def _is_about_bounds(absence: Absence, condition: NamedCondition) -> bool:
    if not isinstance(absence.window, BetweenWindow):
        return False
    around = names_of(absence.window.first) | names_of(absence.window.last)
    return names_used_by(condition) <= around


def names_used_by(condition: NamedCondition) -> frozenset[str]:
    """Return the names of the parts that a condition uses."""
    match condition:
        case Related(left, _, right):
            return frozenset({left.name, right.name})
        case Satisfies(expression):
            return names_in(expression)
        case Apart(name, _, other):
            return frozenset({name, other})
        case Lasts():
            return frozenset()
        case _:
            assert_never(condition)


def _instant(moment: Moment, parts: Sequence[ReferenceOccurrence]) -> Instant:
    part = parts[moment.part]
    return {End.START: part.start, End.FINISH: part.end}[moment.end]


def _attribute(attribute: PartAttribute, names: Mapping[str, ReferenceOccurrence]) -> Any:
    """Return the attribute of the one event with the name, or the value bound to the variable.

    None if there is no such part, or it has several events.
    """
    named = names.get(attribute.name)
    if named is None or len(named.members) != 1:
        return None
    if attribute.variable:
        return bound_scalar([dict(row) for row in named.rows], attribute.variable)
    return named.members[0].attribute(attribute.path)
