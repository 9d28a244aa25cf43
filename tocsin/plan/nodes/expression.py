"""Scalar expressions of a computed predicate: constants, attributes and calls of named functions.
Data only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tocsin.events.event import Path
from tocsin.values.scalars import Constant


class Semantics(Enum):
    """Rules that evaluate an expression; one table of functions each."""

    SELECTOR = "selector"
    JMS = "jms"
    AMQP = "amqp"
    CESQL = "cesql"
    MEMBERS = "members"


@dataclass(frozen=True, slots=True)
class Value:
    """A constant."""

    constant: Constant


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute of the event."""

    path: Path


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator applied to its arguments.

    Operators go by their symbol, as in Call("+", (a, b)).
    """

    function: str
    arguments: tuple[Expression, ...]


Expression = Value | Attribute | Call


def size_of(expression: Expression) -> int:
    """Return how many constants, attributes and calls the expression has."""
    if not isinstance(expression, Call):
        return 1
    return 1 + sum(map(size_of, expression.arguments))


def paths_of(expression: Expression) -> frozenset[Path]:
    """Return the attributes that the expression reads."""
    match expression:
        case Attribute(path):
            return frozenset((path,))
        case Call(_, arguments):
            return frozenset(path for argument in arguments for path in paths_of(argument))
        case _:
            return frozenset()
