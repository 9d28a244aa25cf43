"""Functions of conditions and templates. Each takes values and returns a value; None is unknown.

A function of an unknown value, or of a value of the wrong kind, is unknown, never an error.
Characters are counted from 1. A result longer than `MAX_TEXT` raises `WorkLimitExceeded`: nothing
is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import unescape
from typing import TypeAlias

from tocsin.values.dates import Date, date_of
from tocsin.values.decimals import calculate, decimal_of, decimal_text, round_number
from tocsin.values.formats import DateFormat, format_of

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
