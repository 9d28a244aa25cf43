"""Evaluation of operands and conditions in a row, to a value, unknown or a truth; and order of
rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias, assert_never

from tocsin.plan.bindings import Row
from tocsin.plan.xml.row_functions import Known, applied, number_in, plain_text
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

_EQUALITIES = ("=", "!=")
_like = lru_cache(maxsize=1024)(compile_like)


def meets_condition(condition: RowCondition, row: Row) -> bool:
    """True if the condition is true of the row; unknown is not."""
    return row_truth(condition, dict(row)) is Truth.TRUE


def row_truth(condition: RowCondition, values: Values) -> Truth:
    """Return the truth of a condition; UNKNOWN if a value that it depends on is unknown."""
    match condition:
        case ValueCondition(variable, relation, constant, other):
            against = constant if other is None else _bound(other, values)
            return _compared(_bound(variable, values), relation, against)
        case ComparedValues(left, relation, right):
            return _compared(value_of(left, values), relation, value_of(right, values))
        case ValueLike(operand, pattern):
            value = value_of(operand, values)
            return Truth.UNKNOWN if value is None else truth(_like(pattern)(plain_text(value)))
        case ValueAmong(operand, among):
            value = value_of(operand, values)
            return disjunction([_compared(value, "=", value_of(each, values)) for each in among])
        case RowNot(inner):
            return negation(row_truth(inner, values))
        case RowAll(conditions):
            return conjunction([row_truth(each, values) for each in conditions])
        case RowAny(conditions):
            return disjunction([row_truth(each, values) for each in conditions])
        case _:
            assert_never(condition)


def value_of(operand: Operand, values: Values) -> Known | None:
    """Return the value of an operand; None if it is unknown."""
    match operand:
        case TextValue(text):
            return text
        case VariableValue(variable):
            return _bound(variable, values)
        case FunctionValue(function, arguments):
            given = [known for each in arguments if (known := value_of(each, values)) is not None]
            return applied(function, given) if len(given) == len(arguments) else None
        case ChoiceValue(condition, then, otherwise):
            decided = row_truth(condition, values)
            if decided is Truth.UNKNOWN:
                return None
            return value_of(then if decided is Truth.TRUE else otherwise, values)
        case _:
            assert_never(operand)


def _bound(variable: str, values: Values) -> Known | None:
    value = values.get(variable)
    return value if isinstance(value, str | tuple) else None


def in_order(rows: Iterable[Row], keys: Sequence[OrderKey]) -> list[Row]:
    """Return the rows sorted by their keys, the first key first; the sort is stable."""
    found = list(rows)
    for key in reversed(keys):
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
