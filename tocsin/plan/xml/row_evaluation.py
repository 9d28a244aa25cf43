"""Evaluation of operands, functions and conditions in a row; and order of rows.

A function of an unknown value, or of a value of the wrong kind, is unknown (None), never an error.
Characters are counted from 1. A result longer than `MAX_TEXT` raises `WorkLimitExceeded`: nothing
is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from html import unescape
from typing import Any, TypeAlias, assert_never

from tocsin.plan.bindings import Row
from tocsin.plan.xml.row_terms import (
    RELATIONS,
    ChoiceValue,
    ComparedValues,
    FunctionValue,
    Operand,
    OrderKey,
    RowAll,
    RowAny,
    RowCondition,
    RowNot,
    TextValue,
    ValueAmong,
    ValueCondition,
    ValueLike,
    VariableValue,
)
from tocsin.values.formats import (
    Date,
    DateFormat,
    calculate,
    date_of,
    decimal_of,
    decimal_text,
    format_of,
    round_number,
)
from tocsin.values.like import compile_like
from tocsin.values.truth import Truth, conjunction, disjunction, negation, truth

Known: TypeAlias = str | tuple[str] | Date
"""A text, markup in canonical form (as a tuple of one), or a date."""

MAX_TEXT = 1 << 20
"""Characters of a computed value at most."""

ARITHMETIC = ("+", "-", "*", "/")
_SPACE = " \t\r\n"
_TAG = re.compile(r"""<(?:[^<>"]|"[^"]*")*>""")


class WorkLimitExceeded(Exception):
    """Raised when a result for an event is beyond the work limit or invalid; it is reported with
    code and reason.
    """

    def __init__(self, reason: str, code: str = "LIMIT") -> None:
        super().__init__(reason, code)
        self.reason = reason
        self.code = code


@dataclass(frozen=True, slots=True)
class RowFunction:
    """Least and largest number of arguments (None: no limit), and the implementation."""

    least: int
    most: int | None
    apply: Callable[[Sequence[Known]], Known | None]


def plain_text(value: Known) -> str:
    """Return the value as text: of markup the text alone, of a date its ISO form."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Date) else unescape(_TAG.sub("", value[0]))


def number_in(value: Known) -> Decimal | None:
    """Return the number that a value writes; None for other values."""
    return decimal_of(value) if isinstance(value, str) else None


def apply_function(function: str, arguments: Sequence[Known]) -> Known | None:
    """Return the result of a function or an arithmetic operator for known values."""
    if function in ARITHMETIC:
        return _arithmetic(function, arguments)
    result = FUNCTIONS[function].apply(arguments)
    if isinstance(result, str):
        _require_length(len(result))
    return result


def _arithmetic(operator: str, operands: Sequence[Known]) -> str | None:
    numbers = [number for each in operands if (number := number_in(each)) is not None]
    if len(numbers) < len(operands):
        return None
    if len(numbers) == 1:
        return decimal_text(-numbers[0] if operator == "-" else numbers[0])
    result = calculate(operator, *numbers)
    return None if result is None else decimal_text(result)


def _concat(arguments: Sequence[Known]) -> str:
    texts = [plain_text(each) for each in arguments]
    _require_length(sum(map(len, texts)))
    return "".join(texts)


def _substring(arguments: Sequence[Known]) -> str | None:
    """Return the characters from a position on, `length` of them or all.

    Positions before the first or after the last character have none.
    """
    text, *rest = arguments
    numbers = [_whole(each) for each in rest]
    if None in numbers:
        return None
    characters, first = plain_text(text), numbers[0] or 0
    if len(numbers) == 1:
        return characters[max(first - 1, 0) :]
    length = numbers[1] or 0
    return None if length < 0 else characters[max(first - 1, 0) : max(first - 1 + length, 0)]


def _replace(arguments: Sequence[Known]) -> str | None:
    """Return the text with each occurrence of the old text replaced, from left to right."""
    text, old, new = (plain_text(each) for each in arguments)
    if not old:
        return None
    _require_length(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _round(arguments: Sequence[Known]) -> str | None:
    number, digits = number_in(arguments[0]), _whole(arguments[1]) if len(arguments) > 1 else 0
    result = None if number is None or digits is None else round_number(number, digits)
    return None if result is None else decimal_text(result)


def _number(arguments: Sequence[Known]) -> str | None:
    number = decimal_of(plain_text(arguments[0]))
    return None if number is None else decimal_text(number)


def _abs(arguments: Sequence[Known]) -> str | None:
    number = number_in(arguments[0])
    return None if number is None else decimal_text(abs(number))


def _date(arguments: Sequence[Known]) -> Date | None:
    value = arguments[0]
    return value if isinstance(value, Date) else date_of(plain_text(value))


def _format(arguments: Sequence[Known]) -> str | None:
    value, pattern = arguments[0], format_of(plain_text(arguments[1]))
    if pattern is None:
        return None
    if isinstance(pattern, DateFormat):
        date = _date([value])
        return None if date is None else pattern.written(date.fields)
    number = number_in(value)
    return None if number is None else pattern.written(number)


def _whole(value: Known) -> int | None:
    """Return a whole number of moderate size; None for other values."""
    number = number_in(value)
    if number is None or number != number.to_integral_value() or abs(number) > MAX_TEXT:
        return None
    return int(number)


def _require_length(length: int) -> None:
    if length > MAX_TEXT:
        raise WorkLimitExceeded(f"a value has more than {MAX_TEXT:,} characters")


FUNCTIONS: Mapping[str, RowFunction] = {
    "abs": RowFunction(1, 1, _abs),
    "concat": RowFunction(1, None, _concat),
    "date": RowFunction(1, 1, _date),
    "format": RowFunction(2, 2, _format),
    "length": RowFunction(1, 1, lambda given: str(len(plain_text(given[0])))),
    "lower": RowFunction(1, 1, lambda given: plain_text(given[0]).lower()),
    "number": RowFunction(1, 1, _number),
    "replace": RowFunction(3, 3, _replace),
    "round": RowFunction(1, 2, _round),
    "string": RowFunction(1, 1, lambda given: plain_text(given[0])),
    "substring": RowFunction(2, 3, _substring),
    "trim": RowFunction(1, 1, lambda given: plain_text(given[0]).strip(_SPACE)),
    "upper": RowFunction(1, 1, lambda given: plain_text(given[0]).upper()),
}
IF = "if"
FUNCTION_NAMES = (*FUNCTIONS, IF)


Values: TypeAlias = Mapping[str, Hashable]
"""A row as a mapping."""

Spend: TypeAlias = Callable[[int], object]
"""Told of work before it is done, in about as many microseconds; may raise GivenUp."""

A_COMPARISON = 3
"""The work of one comparison or function of short values."""

CHARACTERS = 50
"""So many characters of a value are work of one microsecond."""

_EQUALITIES = ("=", "!=")
_like = lru_cache(maxsize=1024)(compile_like)


def uncounted(work: int) -> None:
    """Count nothing: for work that is bounded elsewhere."""


def meets_condition(condition: RowCondition, row: Row, spend: Spend = uncounted) -> bool:
    """True if the condition is true of the row; unknown is not."""
    return row_truth(condition, dict(row), spend) is Truth.TRUE


def row_truth(condition: RowCondition, values: Values, spend: Spend = uncounted) -> Truth:
    """Return the truth of a condition; UNKNOWN if a value that it depends on is unknown."""
    match condition:
        case ValueCondition(variable, relation, constant, other):
            bound = _bound(variable, values)
            against = constant if other is None else _bound(other, values)
            spend(_work_on(bound, against))
            return _compared(bound, relation, against)
        case ComparedValues(left, relation, right):
            one, two = value_of(left, values, spend), value_of(right, values, spend)
            spend(_work_on(one, two))
            return _compared(one, relation, two)
        case ValueLike(operand, pattern):
            value = value_of(operand, values, spend)
            spend(_work_on(value))
            return Truth.UNKNOWN if value is None else truth(_like(pattern)(plain_text(value)))
        case ValueAmong(operand, among):
            value = value_of(operand, values, spend)
            spend(_work_on(value) * len(among))
            others = (value_of(each, values, spend) for each in among)
            return disjunction([_compared(value, "=", other) for other in others])
        case RowNot(inner):
            return negation(row_truth(inner, values, spend))
        case RowAll(conditions):
            return conjunction([row_truth(each, values, spend) for each in conditions])
        case RowAny(conditions):
            return disjunction([row_truth(each, values, spend) for each in conditions])
        case _:
            assert_never(condition)


def value_of(operand: Operand, values: Values, spend: Spend = uncounted) -> Known | None:
    """Return the value of an operand; None if it is unknown."""
    match operand:
        case TextValue(text):
            return text
        case VariableValue(variable):
            return _bound(variable, values)
        case FunctionValue(function, arguments):
            worked_out = (value_of(each, values, spend) for each in arguments)
            given = [known for known in worked_out if known is not None]
            spend(_work_on(*given))
            return apply_function(function, given) if len(given) == len(arguments) else None
        case ChoiceValue(condition, then, otherwise):
            decided = row_truth(condition, values, spend)
            if decided is Truth.UNKNOWN:
                return None
            return value_of(then if decided is Truth.TRUE else otherwise, values, spend)
        case _:
            assert_never(operand)


def _work_on(*values: Known | None) -> int:
    characters = 0
    for each in values:
        if each is not None and not isinstance(each, Date):
            characters += len(each if isinstance(each, str) else each[0])
    return A_COMPARISON + characters // CHARACTERS


def _bound(variable: str, values: Values) -> Known | None:
    value = values.get(variable)
    return value if isinstance(value, str | tuple) else None


def in_order(rows: Iterable[Row], keys: Sequence[OrderKey], spend: Spend = uncounted) -> list[Row]:
    """Return the rows sorted by their keys, the first key first; the sort is stable."""
    found = list(rows)
    for key in reversed(keys):
        for row in found:
            spend(_work_on(_bound(key.variable, dict(row))))
        found.sort(key=lambda row: _rank(dict(row).get(key.variable)), reverse=key.descending)
    return found


def _compared(left: Known | None, relation: str, right: Known | None) -> Truth:
    if left is None or right is None:
        return Truth.UNKNOWN
    if isinstance(left, Date) or isinstance(right, Date):
        return _compared_dates(left, relation, right)
    compare, numbers = RELATIONS[relation], (number_in(left), number_in(right))
    if None not in numbers:
        return truth(compare(*numbers))
    return truth(relation in _EQUALITIES and compare(left, right))


def _compared_dates(left: Known, relation: str, right: Known) -> Truth:
    """Return the truth of a comparison of instants; unknown if one value is not a date."""
    dates = [
        each if isinstance(each, Date) else date_of(plain_text(each)) for each in (left, right)
    ]
    instants = [each.instant for each in dates if each is not None]
    return truth(RELATIONS[relation](*instants)) if len(instants) == 2 else Truth.UNKNOWN


def _rank(value: Any) -> tuple[int, Decimal, str]:
    """Sort key of a value: numbers before texts; markup by its text."""
    number = number_in(value) if isinstance(value, str) else None
    if number is not None:
        return (0, number, "")
    return (1, Decimal(0), plain_text(value) if isinstance(value, str | tuple) else "")
