"""Terms over the values of one row: operands (constants, variables, functions, arithmetic) and
conditions.

A condition is true, false or unknown; AND, OR and NOT follow Kleene's tables. `row_evaluation`
evaluates the terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any, TypeAlias, assert_never

from tocsin.errors import MeaningProblem
from tocsin.values.like import LikePattern

RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


@dataclass(frozen=True, slots=True)
class TextValue:
    """A constant; a number is the text that writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class VariableValue:
    """The value of a variable."""

    variable: str


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function, or the operator `+`, `-`, `*` or `/`, applied to values."""

    function: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class ChoiceValue:
    """One value if the condition is true, the other if it is false; unknown if that is unknown."""

    condition: RowCondition
    then: Operand
    otherwise: Operand


Operand: TypeAlias = TextValue | VariableValue | FunctionValue | ChoiceValue


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A comparison of a variable with a constant or another variable, as numbers if both are
    decimal.

    Other values are only equal or not: an ordering between them is false.
    """

    variable: str
    relation: str
    constant: str | None = None
    other: str | None = None

    def __post_init__(self) -> None:
        _require_relation(self.relation)
        if (self.constant is None) == (self.other is None):
            raise MeaningProblem(
                "a condition compares with a constant or with a variable, one of them"
            )


@dataclass(frozen=True, slots=True)
class ComparedValues:
    """A comparison of two values, as in a `ValueCondition`; of dates if one of them is a date."""

    left: Operand
    relation: str
    right: Operand

    def __post_init__(self) -> None:
        _require_relation(self.relation)


@dataclass(frozen=True, slots=True)
class ValueLike:
    """The text of a value matches a LIKE pattern as a whole."""

    operand: Operand
    pattern: LikePattern


@dataclass(frozen=True, slots=True)
class ValueAmong:
    """A value equals one of several."""

    operand: Operand
    values: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class RowNot:
    """The condition is not met."""

    condition: RowCondition


@dataclass(frozen=True, slots=True)
class RowAll:
    """Every condition is met."""

    conditions: tuple[RowCondition, ...]


@dataclass(frozen=True, slots=True)
class RowAny:
    """At least one of the conditions is met."""

    conditions: tuple[RowCondition, ...]


RowCondition: TypeAlias = (
    ValueCondition | ComparedValues | ValueLike | ValueAmong | RowNot | RowAll | RowAny
)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """Rows by a variable's values: numbers by value, then texts by code point; or reversed."""

    variable: str
    descending: bool = False


def make_comparison(
    left: Operand, relation: str, right: Operand
) -> ValueCondition | ComparedValues:
    """Return the condition that two values compare, in its one normal form."""
    match left, right:
        case VariableValue(variable), TextValue(text):
            return ValueCondition(variable, relation, text)
        case VariableValue(variable), VariableValue(other):
            return ValueCondition(variable, relation, other=other)
        case _:
            return ComparedValues(left, relation, right)


def operand_variables(operand: Operand) -> Iterator[str]:
    """Yield the variables of an operand, one for each occurrence."""
    match operand:
        case TextValue():
            pass
        case VariableValue(variable):
            yield variable
        case FunctionValue(_, arguments):
            for argument in arguments:
                yield from operand_variables(argument)
        case ChoiceValue(condition, then, otherwise):
            yield from condition_variables(condition)
            yield from operand_variables(then)
            yield from operand_variables(otherwise)
        case _:
            assert_never(operand)


def condition_variables(condition: RowCondition) -> Iterator[str]:
    """Yield the variables of a condition, one for each occurrence."""
    match condition:
        case ValueCondition(variable, _, _, other):
            yield variable
            yield from () if other is None else (other,)
        case ComparedValues(left, _, right):
            yield from operand_variables(left)
            yield from operand_variables(right)
        case ValueLike(operand):
            yield from operand_variables(operand)
        case ValueAmong(operand, values):
            for each in (operand, *values):
                yield from operand_variables(each)
        case RowNot(inner):
            yield from condition_variables(inner)
        case RowAll(conditions) | RowAny(conditions):
            for inner in conditions:
                yield from condition_variables(inner)
        case _:
            assert_never(condition)


def _require_relation(relation: str) -> None:
    if relation not in RELATIONS:
        raise MeaningProblem(f"a relation is one of {' '.join(RELATIONS)}, got {relation}")
