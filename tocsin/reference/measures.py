"""Measures over several events, by definition: keys, aggregates, expressions over named parts."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Key
from tocsin.plan.nodes.expressions import (
    OF_GROUPS,
    Aggregate,
    Attribute,
    Call,
    Expression,
    Measure,
    Selected,
    Semantics,
    Value,
)
from tocsin.reference.computed import computed_truth, computed_value
from tocsin.reference.occurrence import ReferenceOccurrence
from tocsin.reference.values import sort_of
from tocsin.values.scalars import Constant, Kind, Path
from tocsin.values.time import format_instant
from tocsin.values.truth import Truth

Names = Mapping[str, ReferenceOccurrence]
_NO_EVENT = Event({"id": "", "source": "", "type": ""}, {}, None, None)
_KINDS = {
    "nothing": Kind.NULL,
    "truth": Kind.BOOLEAN,
    "number": Kind.NUMBER,
    "text": Kind.STRING,
    "other": Kind.OTHER,
}


def key_of(by: Key, occurrence: ReferenceOccurrence) -> tuple[tuple[str, Hashable], ...] | None:
    """Return the values that every member has at the paths, with their sorts.

    None unless all members have the same scalars.
    """
    values = [
        tuple((sort_of(found), found) for found in (member.attribute(path) for path in by))
        for member in occurrence.members
    ]
    if not values or any(sort in ("nothing", "other") for sort, _ in values[0]):
        return None
    return values[0] if all(each == values[0] for each in values) else None


def have_same_key(by: Key, one: ReferenceOccurrence, other: ReferenceOccurrence) -> bool:
    """True if two occurrences have the same key; always True without paths."""
    return not by or (key_of(by, one) is not None and key_of(by, one) == key_of(by, other))


def has_key(by: Key, occurrence: ReferenceOccurrence) -> bool:
    """True if an occurrence has the key; always True without paths."""
    return not by or key_of(by, occurrence) is not None


def compute_measure(measure: Measure, members: Sequence[Event]) -> int | float | None:
    """Return the value of a measure over events in canonical order; None if it has none."""
    values = [member.attribute(measure.path) for member in members] if measure.path else []
    numbers = [_whole(each) for each in values if _is_number(each)]
    match measure.aggregate:
        case Aggregate.COUNT:
            return len(members)
        case Aggregate.DISTINCT:
            scalars = [each for each in values if sort_of(each) not in ("nothing", "other")]
            return len({(sort_of(each), each) for each in scalars})
        case _ if not numbers:
            return None
        case Aggregate.SUM:
            return _sum(numbers)
        case Aggregate.AVG:
            return _divided(_sum(numbers), len(numbers))
        case Aggregate.MIN:
            return min(numbers)
        case _:
            return max(numbers)


def is_satisfied(expression: Expression, names: Names) -> bool:
    """True if an expression over named parts is TRUE."""
    known = _with_values(expression, names)
    return computed_truth(known, Semantics.SELECTOR, _NO_EVENT) is Truth.TRUE


def select_values(select: Iterable[Selected], names: Names) -> dict[str, str]:
    """Return the selected values of a match as texts; values that are null are left out."""
    values = {
        each.name: computed_value(_with_values(each.value, names), _NO_EVENT) for each in select
    }
    return {name: _text(value) for name, value in values.items() if value is not None}


def names_in(expression: Expression) -> frozenset[str]:
    """Return the names of the parts that an expression uses."""
    match expression:
        case Attribute(path):
            return frozenset(path[:1])
        case Call(_, arguments):
            return frozenset[str]().union(*map(names_in, arguments))
        case _:
            return frozenset()


def names_grouped_in(expression: Expression) -> frozenset[str]:
    """Return the names of the parts that an expression uses through an aggregate."""
    if not isinstance(expression, Call):
        return frozenset()
    if expression.function in OF_GROUPS:
        return names_in(expression)
    return frozenset[str]().union(*map(names_grouped_in, expression.arguments))


def _with_values(expression: Expression, names: Names) -> Expression:
    """Return the expression with its attributes and aggregates replaced by constants."""
    match expression:
        case Value():
            return expression
        case Attribute(path):
            members = _members(path, names)
            value = members[0].attribute(path[1:]) if len(members) == 1 and path[1:] else None
            return _constant(members[0].id if len(members) == 1 and not path[1:] else value)
        case Call("START" | "END" as end, (Attribute(path),)):
            part = names.get(path[0])
            instant = None if part is None else part.start if end == "START" else part.end
            return _constant(None if instant is None else format_instant(instant))
        case Call(function, arguments) if function in OF_GROUPS:
            paths = [each.path for each in arguments if isinstance(each, Attribute)]
            return _constant(_grouped(function, paths, names))
        case Call(function, arguments):
            return Call(function, tuple(_with_values(each, names) for each in arguments))


def _grouped(function: str, paths: Sequence[Path], names: Names) -> Any:
    members, path = _members(paths[0], names), paths[0][1:]
    match function:
        case "FIRST" | "LAST":
            chosen = members[:1] if function == "FIRST" else members[-1:]
            return chosen[0].attribute(path) if chosen else None
        case "SKIPPED":
            strange = [
                member
                for each in paths
                for member in _members(each, names)
                if not _is_number(member.attribute(each[1:]))
            ]
            return len(strange) or None
        case "COUNT":
            return len(members)
        case _:
            return compute_measure(Measure(Aggregate[function], path), members)


def _members(path: Path, names: Names) -> tuple[Event, ...]:
    return names[path[0]].members if path[0] in names else ()


def _constant(value: Any) -> Value:
    return Value(Constant(_KINDS[sort_of(value)], value))


def _is_number(value: Any) -> bool:
    return sort_of(value) == "number" and value == value  # noqa: PLR0124 (NaN is no number)


def _whole(number: float) -> int | float:
    return int(number) if isinstance(number, int) or number.is_integer() else number


def _sum(numbers: Sequence[int | float]) -> int | float | None:
    """Sum: exactly if all are whole, else doubles rounded once; None if no double can hold it."""
    if all(isinstance(each, int) for each in numbers):
        return sum(numbers)
    try:
        doubles = [float(each) for each in numbers]
        return _whole(math.fsum(doubles))
    except ValueError:  # both infinities
        return None
    except OverflowError:
        try:
            infinite = {float(each) for each in numbers if math.isinf(float(each))}
            if infinite:
                return infinite.pop() if len(infinite) == 1 else None
            return _whole(float(sum(Fraction(float(each)) for each in numbers)))
        except (OverflowError, ValueError):
            return None


def _divided(number: int | float | None, count: int) -> int | float | None:
    if number is None:
        return None
    if isinstance(number, int) and number % count == 0:
        return number // count
    try:
        return _whole(number / count)
    except OverflowError:
        return None


def _text(value: Any) -> str:
    match value:
        case bool():
            return {True: "true", False: "false"}[value]
        case list():
            return " ".join(_text(each) for each in value)
        case _:
            return f"{value}"
