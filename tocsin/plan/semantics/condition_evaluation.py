"""Evaluation of conditions on occurrences, and of expressions over named parts.

Conditions are those of joins, restrictions and absences: one function per kind. Expressions have
attributes of one event and aggregates of several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any, assert_never

from tocsin.events.event import Event
from tocsin.plan.bindings import Row
from tocsin.plan.nodes.composites import (
    AfterInstant,
    AtRegion,
    DuringWindow,
    End,
    Fulfilling,
    JoinCondition,
    Key,
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
    Sliding,
    Stands,
)
from tocsin.plan.nodes.expressions import (
    OF_GROUPS,
    OF_INTERVALS,
    Aggregate,
    Apart,
    Attribute,
    Call,
    Expression,
    Lasts,
    Measure,
    MeasureCondition,
    Satisfies,
    Selected,
    Value,
)
from tocsin.plan.semantics.computed_conditions import RELATIONS, expression_value, selector_truth
from tocsin.plan.semantics.occurrence import Occurrence, OccurrenceView
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded, meets_condition
from tocsin.plan.xml.row_terms import RowCondition
from tocsin.plan.xml.xml_patterns import bound_scalar
from tocsin.values.allen import bounds_test
from tocsin.values.partition_hash import partition_of
from tocsin.values.scalars import Constant, Kind, Path, canonical_number, key_number, kind_of
from tocsin.values.space import Geometry, are_related, parse_place
from tocsin.values.time import Duration, Instant, format_instant
from tocsin.values.truth import Truth

# Expressions over named parts.

Names = Mapping[str, OccurrenceView]
Number = int | float


class _NoEvent:
    """Placeholder for an event: all attributes are replaced before an expression is evaluated."""

    def attribute(self, path: Path) -> None:
        raise AssertionError(f"{path} is not known")


_NO_EVENT = _NoEvent()


def satisfies(expression: Expression, names: Names) -> bool:
    """True if an expression is TRUE of named parts."""
    return selector_truth(_known(expression, names), _NO_EVENT) is Truth.TRUE


def selected_values(select: Iterable[Selected], names: Names) -> dict[str, str]:
    """Return the selected values of a match as texts; NULL is left out."""
    told = ((each.name, value_over(each.value, names)) for each in select)
    return {name: text_of(value) for name, value in told if value is not None}


def text_of(value: Any) -> str:
    """Return a value as the text that bindings have."""
    if isinstance(value, list):
        return " ".join(map(text_of, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def value_over(expression: Expression, names: Names) -> Any:
    """Return the value of an expression over named parts; None if it has none."""
    return expression_value(_known(expression, names), _NO_EVENT)


def scalar_key(value: Any) -> Hashable:
    """Return one key for all values that are equal as attributes; None for lists, objects and null.

    TRUE is not 1. A number is in its normal form, because the key appears in matches: 1.0 is 1.
    """
    if isinstance(value, bool):
        return (value,)
    if isinstance(value, float):
        return key_number(value)
    return value if isinstance(value, int | str) else None


def key_of(by: Key, members: Sequence[Event]) -> tuple[Hashable, ...] | None:
    """Return the values that all members have at the paths; None if one has none, or two differ."""
    found = {tuple([scalar_key(member.attribute(path)) for path in by]) for member in members}
    key = found.pop() if len(found) == 1 else (None,)
    return None if None in key else key


def number_of(value: Any) -> Number | None:
    """Return a value as a number, whole if it is; None for other values and NaN."""
    if kind_of(value) is not Kind.NUMBER or (isinstance(value, float) and math.isnan(value)):
        return None
    return canonical_number(value)


def measure_value(measure: Measure, members: Sequence[Event]) -> Number | None:
    """Return the value of a measure over events; None if it has no value."""
    match measure.aggregate:
        case Aggregate.COUNT:
            return len(members)
        case Aggregate.DISTINCT:
            keys = {scalar_key(member.attribute(measure.path)) for member in members}
            return len(keys - {None})
    numbers = numbers_at(measure.path, members)
    if not numbers:
        return None
    match measure.aggregate:
        case Aggregate.SUM:
            return total(numbers)
        case Aggregate.AVG:
            return mean(total(numbers), len(numbers))
        case Aggregate.MIN:
            return min(numbers)
        case _:
            return max(numbers)


def numbers_at(path: Path, members: Iterable[Event]) -> list[Number]:
    """Return the numbers that events have at a path."""
    found = (number_of(member.attribute(path)) for member in members)
    return [each for each in found if each is not None]


def total(numbers: Sequence[Number]) -> Number | None:
    """Return the exact sum of whole numbers, else that of doubles, rounded once.

    None if no double holds it.
    """
    if all(isinstance(each, int) for each in numbers):
        return sum(numbers)
    try:
        doubles = [float(each) for each in numbers]
        try:
            return canonical_number(math.fsum(doubles))
        except OverflowError:  # perhaps in an intermediate sum only
            endless = [each for each in doubles if math.isinf(each)]
            if endless:
                return math.fsum(endless)
            return canonical_number(float(sum(map(Fraction, doubles))))
    except (OverflowError, ValueError):
        return None


def mean(sum_of_them: Number | None, count: int) -> Number | None:
    """Return a sum divided by a count, whole if it divides evenly; None without a finite result."""
    if sum_of_them is None:
        return None
    if isinstance(sum_of_them, int) and sum_of_them % count == 0:
        return sum_of_them // count
    try:
        return canonical_number(sum_of_them / count)
    except OverflowError:
        return None


def relation_holds(condition: MeasureCondition, value: Number | None) -> bool:
    """Return True if the value of its measure is in the relation of the condition."""
    return value is not None and RELATIONS[condition.relation](value, condition.limit)


def holds_of_nothing(sliding: Sliding) -> bool:
    """Return True if a window without events fulfils every condition of a window aggregate."""
    return all(relation_holds(each, measure_value(each.measure, ())) for each in sliding.conditions)


def _known(expression: Expression, names: Names) -> Expression:
    """Return the expression with the values of its parts."""
    match expression:
        case Attribute((name, *path)):
            return _constant(_attribute(names.get(name), tuple(path)))
        case Call(function, arguments) if function in OF_GROUPS:
            return _constant(_of_group(function, arguments, names))
        case Call(function, (Attribute((name, *_)),)) if function in OF_INTERVALS:
            return _constant(_end_of(function, names.get(name)))
        case Call(function, arguments):
            return Call(function, tuple(_known(each, names) for each in arguments))
        case _:
            return expression


def _constant(value: Any) -> Value:
    return Value(Constant(kind_of(value), value))


def _attribute(part: OccurrenceView | None, path: Path) -> Any:
    if part is None or len(part.members) != 1:
        return None
    return part.members[0].attribute(path) if path else part.members[0].id


def _of_group(function: str, arguments: Sequence[Expression], names: Names) -> Any:
    groups = [_group(each, names) for each in arguments]
    if function == "SKIPPED":
        return (
            sum(len(members) - len(numbers_at(path, members)) for members, path in groups) or None
        )
    members, path = groups[0]
    if function in ("FIRST", "LAST"):
        at = 0 if function == "FIRST" else -1
        return members[at].attribute(path) if members else None
    aggregate = Aggregate[function]
    return measure_value(Measure(aggregate, () if aggregate is Aggregate.COUNT else path), members)


def _group(argument: Expression, names: Names) -> tuple[Sequence[Event], Path]:
    assert isinstance(argument, Attribute), "aggregates are over paths"
    part = names.get(argument.path[0])
    return (() if part is None else part.members), argument.path[1:]


def _end_of(function: str, part: OccurrenceView | None) -> str | None:
    if part is None:
        return None
    return format_instant(part.start if function == "START" else part.end)


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
