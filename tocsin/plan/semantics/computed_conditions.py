"""Computed conditions: the evaluator of each dialect; those of selector, jms and amqp are here.

They have arithmetic, functions, and comparison of any two values. A value that cannot be computed
is NULL: an operand is absent or of the wrong kind, a divisor is zero, or the result is too large
for a double. A comparison with NULL is UNKNOWN. Whole numbers are exact, all others are doubles;
`100` and `100.0` are the same number and give the same results.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, pos, sub
from typing import Any, Protocol

from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.semantics.cesql import cesql_truth
from tocsin.plan.semantics.list_conditions import members_truth
from tocsin.values.like import LikePattern, Token, Wild, compile_like
from tocsin.values.scalars import ORDERED_KINDS, Kind, Path, canonical_number, kind_of
from tocsin.values.time import parse_instant
from tocsin.values.truth import Truth, negation, truth

# Functions on texts and times of the amqp dialect, and the form of a LIKE pattern in an
# expression. Each gives NULL if an argument is absent or of the wrong kind, or a position or count
# is not whole. Positions count from 1, as in SQL.

INSTANT_OF = "INSTANT"
"""Conversion of an RFC 3339 text to microseconds; texts of the language cannot name it, comparisons
with times use it.
"""

_ESCAPE = "\\"
_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


def text_of_pattern(pattern: LikePattern) -> str:
    """Return a pattern as a constant of an expression; a backslash escapes `%`, `_` and itself."""
    return pattern.text(_ESCAPE)


def pattern_of_text(text: str) -> LikePattern:
    """Return the pattern of such a constant."""
    return LikePattern.of(list(_tokens(text)))


def _tokens(text: str) -> Iterator[Token]:
    characters = iter(text)
    for character in characters:
        yield next(characters, "") if character == _ESCAPE else _WILD.get(character, character)


def _of_text(work: Callable[[str], Any]) -> Callable[..., Any]:
    return lambda text: work(text) if isinstance(text, str) else None


def _left(text: Any, count: Any) -> str | None:
    length = _count(count)
    return None if length is None or not isinstance(text, str) else text[:length]


def _right(text: Any, count: Any) -> str | None:
    length = _count(count)
    return (
        None if length is None or not isinstance(text, str) else text[max(0, len(text) - length) :]
    )


def _substring(text: Any, start: Any, count: Any = 1 << 62) -> str | None:
    """Return `count` characters at most from a position on; past the end the empty text."""
    first, length = _count(start), _count(count)
    if not first or length is None or not isinstance(text, str):
        return None
    return text[first - 1 : first - 1 + length]


def _count(value: Any) -> int | None:
    """Return a whole number of 0 or more, in any spelling; None for other values."""
    whole = kind_of(value) is Kind.NUMBER and value >= 0 and value == value // 1 and value < 1 << 63
    return int(value) if whole else None


def _instant(text: str) -> int | None:
    try:
        return parse_instant(text)
    except MeaningProblem:
        return None


def _milliseconds(text: str) -> int | None:
    instant = _instant(text)
    return None if instant is None else instant // 1000


TEXT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "LOWER": _of_text(str.lower),
    "UPPER": _of_text(str.upper),
    "LEFT": _left,
    "RIGHT": _right,
    "SUBSTRING": _substring,
    "DATE": _of_text(_milliseconds),
    INSTANT_OF: _of_text(_instant),
}
ARGUMENTS = {
    "LOWER": (1,),
    "UPPER": (1,),
    "LEFT": (2,),
    "RIGHT": (2,),
    "SUBSTRING": (2, 3),
    "DATE": (1,),
}
"""Allowed numbers of arguments of each function of the dialect."""

TEXT_RESULTS = frozenset(("LOWER", "UPPER", "LEFT", "RIGHT", "SUBSTRING"))
"""Functions whose result is a text; that of the others is a number."""


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


_EVALUATORS: dict[Semantics, Callable[[Expression, Event], Truth]] = {
    Semantics.SELECTOR: selector_truth,
    Semantics.JMS: jms_truth,
    Semantics.AMQP: amqp_truth,
    Semantics.CESQL: cesql_truth,
    Semantics.MEMBERS: members_truth,
}


def evaluate_condition(expression: Expression, semantics: Semantics, event: Event) -> Truth:
    """Return the truth of an expression used as a condition."""
    return _EVALUATORS[semantics](expression, event)
