"""Computed conditions of the selector, jms and amqp dialects, by the rules of the language page.

A value that cannot be computed is null, and a comparison with null is UNKNOWN. The rules of cesql
are checked by its conformance kit and those of lists by the tests of EPCIS; both are evaluated here
as in the engine.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.semantics.computed_conditions import evaluate_condition, pattern_of_text
from tocsin.reference.values import is_like, is_ordered, sort_of
from tocsin.values.time import parse_instant
from tocsin.values.truth import Truth

_ORDERS = ("<", "<=", ">", ">=")
_OF_UNLIKE = {
    Semantics.SELECTOR: Truth.UNKNOWN,
    Semantics.JMS: Truth.FALSE,
    Semantics.AMQP: Truth.FALSE,
}
_SORTS_IN_ORDER = {
    Semantics.SELECTOR: ("number", "text"),
    Semantics.JMS: ("number",),
    Semantics.AMQP: ("number", "text"),
}
_LARGEST = Fraction(sys.float_info.max)


def computed_truth(expression: Expression, semantics: Semantics, event: Event) -> Truth:
    """Return the truth of a computed condition for one event."""
    if semantics not in _OF_UNLIKE:
        return evaluate_condition(expression, semantics, event)
    match expression:
        case Call("IS NULL", (operand,)):
            return _certain(computed_value(operand, event) is None)
        case Call("IN", (subject, *elements)):
            found = [_compare("=", subject, element, semantics, event) for element in elements]
            return (
                Truth.UNKNOWN
                if computed_value(subject, event) is None
                else _certain(Truth.TRUE in found)
            )
        case Call("LIKE", (subject, Value(pattern))):
            text = computed_value(subject, event)
            liked = sort_of(text) == "text" and is_like(text, pattern_of_text(str(pattern.value)))
            return _certain(liked) if sort_of(text) == "text" else Truth.UNKNOWN
        case Call(relation, (left, right)) if relation in ("=", "<>", *_ORDERS):
            return _compare(relation, left, right, semantics, event)
        case _:
            raise AssertionError(f"{expression} is no condition")


def _compare(
    relation: str, one: Expression, other: Expression, semantics: Semantics, event: Event
) -> Truth:
    left, right = computed_value(one, event), computed_value(other, event)
    if left is None or right is None:
        return Truth.UNKNOWN
    if relation == "<>" and semantics is not Semantics.JMS:
        return Truth(2 - _compare("=", one, other, semantics, event))
    sort = sort_of(left)
    alike = sort == sort_of(right) and sort != "other"
    if not alike or (relation in _ORDERS and sort not in _SORTS_IN_ORDER[semantics]):
        return _OF_UNLIKE[semantics]
    if relation in _ORDERS:
        return _certain(is_ordered(left, relation, right))
    return _certain((left == right) is (relation == "="))


def computed_value(expression: Expression, event: Event) -> Any:
    """Return the value of an expression; None if it has none."""
    match expression:
        case Value(constant):
            return constant.value
        case Attribute(path):
            return event.attribute(path)
        case Call("COALESCE", operands):
            present = [
                value
                for value in (computed_value(operand, event) for operand in operands)
                if value is not None
            ]
            return present[0] if present else None
        case Call(
            "LOWER" | "UPPER" | "LEFT" | "RIGHT" | "SUBSTRING" | "DATE" | "INSTANT" as name,
            operands,
        ):
            return _function(name, [computed_value(operand, event) for operand in operands])
        case Call(operator, operands):
            return _calculated(operator, [computed_value(operand, event) for operand in operands])


def _calculated(operator: str, numbers: list[Any]) -> int | float | None:
    """Calculate whole numbers exactly, others as doubles; None beyond the range of doubles."""
    if any(sort_of(number) != "number" for number in numbers):
        return None
    if len(numbers) == 1:
        return -numbers[0] if operator == "-" else numbers[0]  # type: ignore[no-any-return]
    left, right = map(_whole, numbers)
    if isinstance(left, int) and isinstance(right, int):
        return _held(_exact(operator, left, right))
    try:
        return _held(_rounded(operator, float(left), float(right)))
    except OverflowError:
        return None


def _exact(operator: str, left: int, right: int) -> Fraction | float | None:
    match operator:
        case "+":
            return Fraction(left + right)
        case "-":
            return Fraction(left - right)
        case "*":
            return Fraction(left * right)
        case "/" | "%" if right == 0:
            return None
        case "/":
            quotient = Fraction(left, right)
            return (
                quotient
                if quotient.denominator == 1 or abs(quotient) > _LARGEST
                else float(quotient)
            )
        case _:
            return Fraction(int(math.copysign(1, left)) * (abs(left) % abs(right)))


def _rounded(operator: str, left: float, right: float) -> float | None:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right != 0:
            return left / right
        case _:
            return None


def _held(result: Fraction | float | None) -> int | float | None:
    if isinstance(result, Fraction):
        return int(result) if -_LARGEST <= result <= _LARGEST else None
    return result if result is not None and math.isfinite(result) else None


def _whole(number: float) -> int | float:
    return int(number) if isinstance(number, int) or number.is_integer() else number


def _function(name: str, arguments: list[Any]) -> Any:
    """Apply a function to a text and counts from 0 on; None for any other arguments."""
    text, counts = arguments[0], arguments[1:]
    if sort_of(text) != "text" or not all(map(_is_count, counts)):
        return None
    characters = list(text)
    match name, [int(count) for count in counts]:
        case "LOWER", []:
            return text.lower()
        case "UPPER", []:
            return text.upper()
        case "LEFT", [count]:
            return "".join(each for place, each in enumerate(characters) if place < count)
        case "RIGHT", [count]:
            return "".join(
                each for place, each in enumerate(characters) if place >= len(characters) - count
            )
        case "SUBSTRING", [start, *length] if start >= 1:
            end = start + length[0] if length else len(characters) + 1
            return "".join(each for place, each in enumerate(characters, 1) if start <= place < end)
        case "DATE" | "INSTANT", []:
            return _time(text, 1000 if name == "DATE" else 1)
        case _:
            return None


def _is_count(value: Any) -> bool:
    return sort_of(value) == "number" and isinstance(_whole(value), int) and 0 <= value < 2**63


def _time(text: str, microseconds: int) -> int | None:
    try:
        return parse_instant(text) // microseconds
    except MeaningProblem:
        return None


def _certain(value: bool) -> Truth:
    return Truth.TRUE if value else Truth.FALSE
