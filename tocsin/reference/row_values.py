"""Conditions, functions and orders of rows, case by case, by the text of the language page.

A value is a text, markup (a tuple of one), or a date with the moment it begins at; None is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_FLOOR, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from functools import cmp_to_key
from typing import Any, assert_never

from tocsin.events.views.document import DocumentLimits, parse_xml
from tocsin.plan.bindings import Row
from tocsin.plan.xml.row_evaluation import MAX_TEXT, WorkLimitExceeded
from tocsin.plan.xml.row_terms import (
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
from tocsin.reference.values import is_like, is_ordered, written_number
from tocsin.values.formats import Date, NumberFormat, date_of, format_of
from tocsin.values.truth import Truth, conjunction, disjunction, negation

_Value = Any
_Row = Mapping[str, Any]
_SPACE = " \t\r\n"
_ANY_SIZE = DocumentLimits(characters=1 << 24, depth=130, elements=200_000)


def meets(condition: RowCondition, row: Row) -> bool:
    """True if a condition is true of a row."""
    return truth_in(condition, dict(row)) is Truth.TRUE


def truth_in(condition: RowCondition, row: _Row) -> Truth:
    """Return the truth of a condition for a row."""
    match condition:
        case ValueCondition(variable, relation, constant, other):
            return _compared(
                row.get(variable), relation, constant if other is None else row.get(other)
            )
        case ComparedValues(left, relation, right):
            return _compared(_value(left, row), relation, _value(right, row))
        case ValueLike(operand, pattern):
            value = _value(operand, row)
            return Truth.UNKNOWN if value is None else _certain(is_like(_text(value), pattern))
        case ValueAmong(operand, values):
            return disjunction(
                [_compared(_value(operand, row), "=", _value(each, row)) for each in values]
            )
        case RowNot(inner):
            return negation(truth_in(inner, row))
        case RowAll(conditions):
            return conjunction([truth_in(each, row) for each in conditions])
        case RowAny(conditions):
            return disjunction([truth_in(each, row) for each in conditions])
        case _:
            assert_never(condition)


def sort_rows(rows: Iterable[Row], keys: Sequence[OrderKey]) -> list[Row]:
    """Return the rows in order of the first key on which they differ."""

    def compare(one: Row, other: Row) -> int:
        for key in keys:
            found = _before(dict(one).get(key.variable), dict(other).get(key.variable))
            if found:
                return -found if key.descending else found
        return 0

    return sorted(rows, key=cmp_to_key(compare))


def _before(one: _Value, other: _Value) -> int:
    """Return -1, 0 or 1: a value comes before another, neither, or behind; numbers before texts."""
    numbers = written_number(one), written_number(other)
    if numbers[0] is not None and numbers[1] is not None:
        return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    if numbers != (None, None):
        return -1 if numbers[0] is not None else 1
    left, right = _text(one), _text(other)
    return (left > right) - (left < right)


def _compared(left: _Value, relation: str, right: _Value) -> Truth:
    if left is None or right is None:
        return Truth.UNKNOWN
    if isinstance(left, Date) or isinstance(right, Date):
        first, second = _date(left), _date(right)
        if first is None or second is None:
            return Truth.UNKNOWN
        return _related(first.instant, relation, second.instant)
    numbers = written_number(left), written_number(right)
    if numbers[0] is not None and numbers[1] is not None:
        return _related(numbers[0], relation, numbers[1])
    return _related(left, relation, right) if relation in ("=", "!=") else Truth.FALSE


def _related(left: _Value, relation: str, right: _Value) -> Truth:
    if relation in ("=", "!="):
        return _certain((left == right) is (relation == "="))
    return _certain(is_ordered(left, relation, right))


def _certain(value: bool) -> Truth:
    return Truth.TRUE if value else Truth.FALSE


def _value(operand: Operand, row: _Row) -> _Value:
    match operand:
        case TextValue(text):
            return text
        case VariableValue(variable):
            return row.get(variable)
        case ChoiceValue(condition, then, otherwise):
            decided = truth_in(condition, row)
            if decided is Truth.UNKNOWN:
                return None
            return _value(then, row) if decided is Truth.TRUE else _value(otherwise, row)
        case FunctionValue(function, arguments):
            given = [_value(each, row) for each in arguments]
            if any(each is None for each in given):
                return None
            return _short(_function(function, given))
        case _:
            assert_never(operand)


def _function(name: str, given: Sequence[_Value]) -> _Value:
    texts = [_text(each) for each in given]
    match name, texts:
        case "upper", [text]:
            return text.upper()
        case "lower", [text]:
            return text.lower()
        case "trim", [text]:
            return text.strip(_SPACE)
        case "string", [text]:
            return text
        case "length", [text]:
            return str(len(text))
        case "concat", _:
            _require(sum(len(text) for text in texts))
            return "".join(texts)
        case "substring", [text, *_]:
            return _substring(text, [_whole(each) for each in given[1:]])
        case "replace", [text, old, new]:
            return _replaced(text, old, new)
        case "number", [text]:
            return _plain(written_number(text))
        case "date", _:
            return _date(given[0])
        case "format", [_, pattern]:
            return _formatted(given[0], pattern)
        case _:
            return _number_function(name, given)


def _number_function(name: str, given: Sequence[_Value]) -> str | None:
    numbers = [number for each in given if (number := written_number(each)) is not None]
    if len(numbers) < len(given):
        return None
    match name, numbers:
        case "abs", [number]:
            return _plain(number.copy_abs())
        case "round", [number]:
            return _plain(_nearest(number, 0))
        case "round", [number, digits]:
            whole = _whole(_plain(digits))
            return None if whole is None or abs(whole) > 100 else _plain(_nearest(number, whole))
        case "-", [number]:
            return _plain(number.copy_negate())
        case "+", [number]:
            return _plain(number)
        case operator, [left, right]:
            return _plain(_calculated(operator, left, right))
    raise AssertionError(f"{name} is no function")


def _calculated(operator: str, left: Decimal, right: Decimal) -> Decimal | None:
    """Calculate with 34 significant digits; None past 10^999 or without a result."""
    exact = Context(
        prec=34, Emin=-999, Emax=999, traps=[DivisionByZero, InvalidOperation, Overflow]
    )
    try:
        match operator:
            case "+":
                return exact.add(left, right)
            case "-":
                return exact.subtract(left, right)
            case "*":
                return exact.multiply(left, right)
            case _:
                return exact.divide(left, right)
    except (DivisionByZero, InvalidOperation, Overflow):
        return None


def _nearest(number: Decimal, digits: int) -> Decimal:
    """Round half away from zero: add half a unit and cut."""
    wide = Context(prec=len(number.as_tuple().digits) + 300, Emin=-9999999, Emax=9999999)
    units = wide.add(wide.scaleb(number.copy_abs(), digits), Decimal("0.5")).to_integral_value(
        ROUND_FLOOR, wide
    )
    return wide.scaleb(units.copy_sign(number), -digits)


def _plain(number: Decimal | None) -> str | None:
    """Return the number without exponent, without trailing zeros of a fraction, and 0 without a
    sign.
    """
    if number is None:
        return None
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if not text.strip("-0") else text


def _substring(text: str, numbers: Sequence[int | None]) -> str | None:
    """Return the characters at the requested positions that exist."""
    first, *rest = numbers
    if first is None or (rest and (rest[0] is None or rest[0] < 0)):
        return None
    end = len(text) if not rest or rest[0] is None else first + rest[0] - 1
    return "".join(text[at - 1] for at in range(max(first, 1), min(end, len(text)) + 1))


def _replaced(text: str, old: str, new: str) -> str | None:
    if not old:
        return None
    parts = text.split(old)
    _require(sum(map(len, parts)) + len(new) * (len(parts) - 1))
    return new.join(parts)


def _formatted(value: _Value, pattern: str) -> str | None:
    form = format_of(pattern)
    if isinstance(form, NumberFormat):
        number = written_number(value)
        return None if number is None else form.written(number)
    date = _date(value)
    return None if form is None or date is None else form.written(date.fields)


def _date(value: _Value) -> Date | None:
    return value if isinstance(value, Date) else date_of(_text(value))


def _whole(value: _Value) -> int | None:
    number = written_number(value)
    if number is None or number.copy_abs() > MAX_TEXT or number % 1:
        return None
    return int(number)


def _short(value: _Value) -> _Value:
    if isinstance(value, str):
        _require(len(value))
    return value


def _require(length: int) -> None:
    if length > MAX_TEXT:
        raise WorkLimitExceeded(f"a value has more than {MAX_TEXT:,} characters")


def _text(value: _Value) -> str:
    """Return a date as it is written, markup as its text alone."""
    if isinstance(value, Date):
        return value.text
    if isinstance(value, tuple):
        return "".join(map(str, parse_xml(f"<markup>{value[0]}</markup>", _ANY_SIZE).itertext()))
    return "" if value is None else str(value)
