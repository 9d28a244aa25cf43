"""Computed conditions of the selector and jms dialects: arithmetic, and comparison of any two values.

A value that cannot be computed is NULL: an operand is absent or no number, a divisor is zero, or the result is too
large for a double. A comparison with NULL is UNKNOWN. Whole numbers are exact, all others are doubles; `100` and
`100.0` are the same number and give the same results.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, pos, sub
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.expression import Attribute, Call, Expression, Value
from tocsin.values.scalars import Kind, canonical_number, kind_of
from tocsin.values.truth import Truth, truth

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
IS_NULL = "IS NULL"

_EQUALITIES = frozenset(("=", "<>"))
_LARGEST = int(sys.float_info.max)


def selector_truth(expression: Expression, event: Event) -> Truth:
    """The condition's truth; a value of the wrong kind makes it UNKNOWN."""
    return _truth(expression, event, Truth.UNKNOWN)


def jms_truth(expression: Expression, event: Event) -> Truth:
    """The condition's truth; a comparison of unlike kinds is FALSE (Jakarta Messaging 3.1, section 3.8.1.2)."""
    return _truth(expression, event, Truth.FALSE)


def compare(relation: str, left: Any, right: Any, mismatch: Truth) -> Truth:
    """How two values stand to each other: equality within one kind, order between numbers only."""
    kinds = kind_of(left), kind_of(right)
    if Kind.NULL in kinds:
        return Truth.UNKNOWN
    alike = kinds[0] is kinds[1] and kinds[0] is not Kind.OTHER
    if not alike or (relation not in _EQUALITIES and kinds[0] is not Kind.NUMBER):
        return mismatch
    return truth(RELATIONS[relation](left, right))


def calculate(operator: str, operands: tuple[Any, ...]) -> int | float | None:
    """The number that the operator makes of its operands, or None where there is none."""
    if any(kind_of(operand) is not Kind.NUMBER for operand in operands):
        return None
    try:
        return _OPERATIONS[operator, len(operands)](*map(canonical_number, operands))
    except (OverflowError, ZeroDivisionError):
        return None


def _truth(expression: Expression, event: Event, mismatch: Truth) -> Truth:
    match expression:
        case Call(function, (operand,)) if function == IS_NULL:
            return truth(_value(operand, event) is None)
        case Call(relation, (left, right)) if relation in RELATIONS:
            return compare(relation, _value(left, event), _value(right, event), mismatch)
        case _:
            return compare("=", _value(expression, event), True, mismatch)


def _value(expression: Expression, event: Event) -> Any:
    match expression:
        case Value(constant):
            return constant.value
        case Attribute(path):
            return event.attribute(path)
        case Call(operator, arguments):
            return calculate(operator, tuple(_value(argument, event) for argument in arguments))


def _quotient(left: float, right: float) -> int | float:
    """Whole where it divides evenly, else the nearest double: 10 / 5 is 2 and 10 / 4 is 2.5."""
    if isinstance(left, int) and isinstance(right, int) and right and left % right == 0:
        return left // right
    return left / right


def _bounded(operation: Callable[[Any, Any], Any]) -> Callable[..., int | float]:
    """The operation, refused where its result is beyond the largest double."""

    def bounded(left: float, right: float) -> int | float:
        result: int | float = operation(left, right)
        if math.isnan(result) or not -_LARGEST <= result <= _LARGEST:
            raise OverflowError
        return result

    return bounded


_OPERATIONS: dict[tuple[str, int], Callable[..., int | float]] = {
    ("+", 1): pos,
    ("-", 1): neg,
    ("+", 2): _bounded(add),
    ("-", 2): _bounded(sub),
    ("*", 2): _bounded(mul),
    ("/", 2): _bounded(_quotient),
}
