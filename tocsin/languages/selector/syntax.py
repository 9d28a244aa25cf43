"""Syntax tree of a selector, with places, before its meaning is decided.

One tree serves the dialects selector, jms and amqp. A node has its spot in the text and its depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from tocsin.languages.base.texts import Spot


class LiteralKind(Enum):
    """Kind of constant that a literal is written as."""

    NUMBER = "a number"
    STRING = "a string"
    BOOLEAN = "a boolean"


@dataclass(frozen=True, slots=True)
class Name:
    """An attribute, by a path of plain or backticked steps."""

    spot: Spot
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant as written."""

    spot: Spot
    kind: LiteralKind
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+ - * / %` between two operands, or a sign before one."""

    spot: Spot
    operator: str
    operands: tuple[Syntax, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function, by its name in upper case, applied to its arguments."""

    spot: Spot
    name: str
    arguments: tuple[Syntax, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values in one of the relations `= <> < <= > >=`; `!=` is `<>`."""

    spot: Spot
    relation: str
    left: Syntax
    right: Syntax
    depth: int


@dataclass(frozen=True, slots=True)
class LikeTest:
    """A value against a pattern, with or without an ESCAPE clause."""

    spot: Spot
    subject: Syntax
    pattern: Syntax
    escape: Syntax | None
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class BetweenTest:
    """A value against two bounds."""

    spot: Spot
    subject: Syntax
    low: Syntax
    high: Syntax
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class InTest:
    """A value against a list of values."""

    spot: Spot
    subject: Syntax
    elements: tuple[Syntax, ...]
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class NullTest:
    """A test that a value is absent."""

    spot: Spot
    subject: Syntax
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Negation:
    """NOT before a condition."""

    spot: Spot
    operand: Syntax
    depth: int


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Conditions joined by AND."""

    spot: Spot
    operands: tuple[Syntax, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Conditions joined by OR."""

    spot: Spot
    operands: tuple[Syntax, ...]
    depth: int


Test = Comparison | LikeTest | BetweenTest | InTest | NullTest
Syntax = Name | Literal | Arithmetic | Function | Test | Negation | Conjunction | Disjunction


def children_of(node: Syntax) -> tuple[Syntax, ...]:
    """Return the parts of a node, from left to right."""
    match node:
        case Arithmetic(_, _, operands) | Conjunction(_, operands) | Disjunction(_, operands):
            return operands
        case Function(_, _, arguments):
            return arguments
        case Comparison(_, _, left, right):
            return (left, right)
        case LikeTest(_, subject, pattern, escape):
            return (subject, pattern) if escape is None else (subject, pattern, escape)
        case BetweenTest(_, subject, low, high):
            return (subject, low, high)
        case InTest(_, subject, elements):
            return (subject, *elements)
        case NullTest(_, operand) | Negation(_, operand):
            return (operand,)
        case Name() | Literal():
            return ()
        case _:
            assert_never(node)
