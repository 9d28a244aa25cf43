"""Conditions and values as E-XML-QL text, which explains them and is read back as the same."""

from __future__ import annotations

from typing import assert_never

from tocsin.plan.xml.row_functions import ARITHMETIC, IF
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
from tocsin.values.like import LikePattern

_ESCAPES = "!~^\\|"


def condition_text(condition: RowCondition) -> str:
    """Return the condition; a constant is quoted and still compares as a number."""
    match condition:
        case ValueCondition(variable, relation, constant, other):
            return f"{variable} {relation} {other if constant is None else quote_text(constant)}"
        case ComparedValues(left, relation, right):
            return f"{operand_text(left)} {relation} {operand_text(right)}"
        case ValueLike(operand, pattern):
            return f"{operand_text(operand)} LIKE {_like_text(pattern)}"
        case ValueAmong(operand, values):
            return f"{operand_text(operand)} IN ({', '.join(map(operand_text, values))})"
        case RowNot(inner):
            return f"NOT {_inner_text(inner)}"
        case RowAll(conditions):
            return " AND ".join(map(_inner_text, conditions))
        case RowAny(conditions):
            return " OR ".join(map(_inner_text, conditions))
        case _:
            assert_never(condition)


def operand_text(operand: Operand) -> str:
    """Return a value; arithmetic gets parentheses."""
    match operand:
        case TextValue(text):
            return quote_text(text)
        case VariableValue(variable):
            return variable
        case FunctionValue(operator, (inner,)) if operator in ARITHMETIC:
            return f"({operator}{operand_text(inner)})"
        case FunctionValue(operator, (left, right)) if operator in ARITHMETIC:
            return f"({operand_text(left)} {operator} {operand_text(right)})"
        case FunctionValue(function, arguments):
            return f"{function}({', '.join(map(operand_text, arguments))})"
        case ChoiceValue(condition, then, otherwise):
            return (
                f"{IF}({condition_text(condition)}, {operand_text(then)},"
                f" {operand_text(otherwise)})"
            )
        case _:
            assert_never(operand)


def order_text(key: OrderKey) -> str:
    """Return a key of ORDER-BY."""
    return f"{key.variable} DESCENDING" if key.descending else key.variable


def quote_text(text: str) -> str:
    """Return the text in double quotes."""
    return '"' + text.replace('"', '""') + '"'


def _inner_text(condition: RowCondition) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, RowAll | RowAny) else text


def _like_text(pattern: LikePattern) -> str:
    if not pattern.needs_escape():
        return quote_text(pattern.text(escape=""))
    used = "".join(pattern.literals())
    escape = next((char for char in _ESCAPES if char not in used), _ESCAPES[0])
    return f"{quote_text(pattern.text(escape))} ESCAPE {quote_text(escape)}"
