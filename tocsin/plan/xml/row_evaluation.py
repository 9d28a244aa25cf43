"""Evaluation of operands and conditions in a row, to a value, unknown or a truth; and order of
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias, assert_never

from tocsin.plan.bindings import Row
from tocsin.plan.xml.row_functions import Known, apply_function, number_in, plain_text
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
from tocsin.values.dates import Date, date_of
from tocsin.values.like import compile_like
from tocsin.values.truth import Truth, conjunction, disjunction, negation, truth

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
