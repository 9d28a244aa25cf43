"""Computed conditions of the selector, jms and amqp dialects: arithmetic, functions, comparison of
any two values.

A value that cannot be computed is NULL: an operand is absent or of the wrong kind, a divisor is
zero, or the result is too large for a double. A comparison with NULL is UNKNOWN. Whole numbers are
exact, all others are doubles; `100` and `100.0` are the same number and give the same results.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, pos, sub
from typing import Any, Protocol

from tocsin.events.event import Path
from tocsin.plan.nodes.expression import Attribute, Call, Expression, Value
from tocsin.plan.semantics.text_functions import TEXT_FUNCTIONS, pattern_of_text
from tocsin.values.like import compile_like
from tocsin.values.scalars import ORDERED_KINDS, Kind, canonical_number, kind_of
from tocsin.values.truth import Truth, negation, truth

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
IS_NULL = "IS NULL"
IN = "IN"
LIKE = "LIKE"
COALESCE = "COALESCE"

_EQUALITIES = frozenset(("=", "<>"))
_LARGEST = int(sys.float_info.max)


class HasAttributes(Protocol):
    """Subject of an expression: an event, or a stand-in for one."""

    def attribute(self, path: Path) -> Any:
        """Return the value at a path, or None if it is missing."""
        ...


@dataclass(frozen=True, slots=True)
class Comparing:
    """Comparison rules of a dialect: result for unlike kinds, kinds with an order, and `<>` as NOT
    `=` or not.
    """

    mismatch: Truth
    ordered: tuple[Kind, ...] = ORDERED_KINDS
    unequal_is_not_equal: bool = True


SELECTOR = Comparing(Truth.UNKNOWN)
JMS = Comparing(Truth.FALSE, ordered=(Kind.NUMBER,), unequal_is_not_equal=False)
"""Unlike kinds are neither equal nor unequal, and texts have no order (Jakarta Messaging 3.1,
section 3.8.1.2).
"""

AMQP = Comparing(Truth.FALSE)
"""Unlike kinds are unequal, as in the brokers that support this dialect."""


def selector_truth(expression: Expression, event: HasAttributes) -> Truth:
    """Return the condition's truth; a value of the wrong kind makes it UNKNOWN."""
    return _truth(expression, event, SELECTOR)


def jms_truth(expression: Expression, event: HasAttributes) -> Truth:
    """Return the condition's truth; a comparison of unlike kinds is FALSE, `<>` included."""
    return _truth(expression, event, JMS)


def amqp_truth(expression: Expression, event: HasAttributes) -> Truth:
    """Return the condition's truth; for unlike kinds it is FALSE, but TRUE for `<>` and NOT IN."""
    return _truth(expression, event, AMQP)


def compare(relation: str, left: Any, right: Any, comparing: Comparing) -> Truth:
    """Return the truth of a comparison: equality within one kind, order within ordered kinds."""
    kinds = kind_of(left), kind_of(right)
    if Kind.NULL in kinds:
        return Truth.UNKNOWN
    alike = kinds[0] is kinds[1] and kinds[0] is not Kind.OTHER
    if not alike or (relation not in _EQUALITIES and kinds[0] not in comparing.ordered):
        turned = relation == "<>" and comparing.unequal_is_not_equal
        return negation(comparing.mismatch) if turned else comparing.mismatch
    return truth(RELATIONS[relation](left, right))


def calculate(operator: str, operands: tuple[Any, ...]) -> int | float | None:
    """Return the number that the operator computes, or None if it has no result."""
    if any(kind_of(operand) is not Kind.NUMBER for operand in operands):
        return None
    try:
        return _OPERATIONS[operator, len(operands)](*map(canonical_number, operands))
    except (OverflowError, ZeroDivisionError):
        return None


def apply_function(function: str, operands: tuple[Any, ...]) -> Any:
    """Return the result of an operator or a function, or None if it has none."""
    if function == COALESCE:
        return next((operand for operand in operands if operand is not None), None)
    work = TEXT_FUNCTIONS.get(function)
    return calculate(function, operands) if work is None else work(*operands)


def _truth(expression: Expression, event: HasAttributes, comparing: Comparing) -> Truth:
    match expression:
        case Call(function, (operand,)) if function == IS_NULL:
            return truth(expression_value(operand, event) is None)
        case Call(function, (subject, *elements)) if function == IN:
            return _among(
                expression_value(subject, event),
                [expression_value(element, event) for element in elements],
                comparing,
            )
        case Call(function, (subject, Value(pattern))) if function == LIKE:
            return _like(expression_value(subject, event), str(pattern.value))
        case Call(relation, (left, right)) if relation in RELATIONS:
            return compare(
                relation, expression_value(left, event), expression_value(right, event), comparing
            )
        case _:
            return compare("=", expression_value(expression, event), True, comparing)


def expression_value(expression: Expression, event: HasAttributes) -> Any:
    """Return the value of an expression; None if it has none."""
    match expression:
        case Value(constant):
            return constant.value
        case Attribute(path):
            return event.attribute(path)
        case Call(function, arguments):
            return apply_function(
                function, tuple(expression_value(argument, event) for argument in arguments)
            )


def _among(value: Any, elements: list[Any], comparing: Comparing) -> Truth:
    """Return TRUE if the value equals an element; an absent element counts as unequal."""
    if value is None:
        return Truth.UNKNOWN
    return truth(any(compare("=", value, element, comparing) is Truth.TRUE for element in elements))


def _like(value: Any, pattern: str) -> Truth:
    return truth(_matcher(pattern)(value)) if isinstance(value, str) else Truth.UNKNOWN


@lru_cache(maxsize=1 << 12)
def _matcher(pattern: str) -> Callable[[str], bool]:
    return compile_like(pattern_of_text(pattern))


def _quotient(left: float, right: float) -> int | float:
    """Return a whole number if it divides evenly, else the nearest double: 10 / 5 is 2, 10 / 4 is
    2.5.
    """
    if isinstance(left, int) and isinstance(right, int) and right and left % right == 0:
        return left // right
    return left / right


def _remainder(left: float, right: float) -> int | float:
    """Return the remainder of whole numbers, with the sign of the left one; raise for others."""
    if not isinstance(left, int) or not isinstance(right, int):
        raise OverflowError
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _bounded(operation: Callable[[Any, Any], Any]) -> Callable[..., int | float]:
    """Return the operation with an error for results beyond the largest double."""

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
    ("%", 2): _bounded(_remainder),
}
