"""Syntax tree of a selector, with places, before its meaning is decided.

One tree serves the dialects selector, jms and amqp. A node has its spot in the text and its depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from tocsin.languages.base.texts import SourceSpan


class LiteralKind(Enum):
    """Kind of constant that a literal is written as."""

    NUMBER = "a number"
    STRING = "a string"
    BOOLEAN = "a boolean"


@dataclass(frozen=True, slots=True)
class AttributeName:
    """An attribute, by a path of plain or backticked steps."""

    spot: SourceSpan
    depth: int = 0


@dataclass(frozen=True, slots=True)
class SelectorLiteral:
    """A constant as written."""

    spot: SourceSpan
    kind: LiteralKind
    depth: int = 0


@dataclass(frozen=True, slots=True)
class SelectorArithmetic:
    """`+ - * / %` between two operands, or a sign before one."""

    spot: SourceSpan
    operator: str
    operands: tuple[Syntax, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class SelectorFunction:
    """A function, by its name in upper case, applied to its arguments."""

    spot: SourceSpan
    name: str
    arguments: tuple[Syntax, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class SelectorComparison:
    """Two values in one of the relations `= <> < <= > >=`; `!=` is `<>`."""

    spot: SourceSpan
    relation: str
    left: Syntax
    right: Syntax
    depth: int


@dataclass(frozen=True, slots=True)
class LikeTest:
    """A value against a pattern, with or without an ESCAPE clause."""

    spot: SourceSpan
    subject: Syntax
    pattern: Syntax
    escape: Syntax | None
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class BetweenTest:
    """A value against two bounds."""

    spot: SourceSpan
    subject: Syntax
    low: Syntax
    high: Syntax
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class InTest:
    """A value against a list of values."""

    spot: SourceSpan
    subject: Syntax
    elements: tuple[Syntax, ...]
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class NullTest:
    """A test that a value is absent."""

    spot: SourceSpan
    subject: Syntax
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class SelectorNegation:
    """NOT before a condition."""

    spot: SourceSpan
    operand: Syntax
    depth: int


@dataclass(frozen=True, slots=True)
class SelectorConjunction:
    """Conditions joined by AND."""

    spot: SourceSpan
    operands: tuple[Syntax, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class SelectorDisjunction:
    """Conditions joined by OR."""

    spot: SourceSpan
    operands: tuple[Syntax, ...]
    depth: int


Test = SelectorComparison | LikeTest | BetweenTest | InTest | NullTest
Syntax = (
    AttributeName
    | SelectorLiteral
    | SelectorArithmetic
    | SelectorFunction
    | Test
    | SelectorNegation
    | SelectorConjunction
    | SelectorDisjunction
)


def children_of(node: Syntax) -> tuple[Syntax, ...]:
    """Return the parts of a node, from left to right."""
    match node:
        case (
            SelectorArithmetic(_, _, operands)
            | SelectorConjunction(_, operands)
            | SelectorDisjunction(_, operands)
        ):
            return operands
        case SelectorFunction(_, _, arguments):
            return arguments
        case SelectorComparison(_, _, left, right):
            return (left, right)
        case LikeTest(_, subject, pattern, escape):
            return (subject, pattern) if escape is None else (subject, pattern, escape)
        case BetweenTest(_, subject, low, high):
            return (subject, low, high)
        case InTest(_, subject, elements):
            return (subject, *elements)
        case NullTest(_, operand) | SelectorNegation(_, operand):
            return (operand,)
        case AttributeName() | SelectorLiteral():
            return ()
        case _:
            assert_never(node)
