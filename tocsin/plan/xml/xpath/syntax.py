"""Syntax tree of an XPath 1.0 expression, the type of its value, and its text at least cost.

`//a[b]` means every child `a` of every node: a search from each node, whose results must be sorted.
If no predicate uses positions, `/descendant::a[b]` means the same with one search. `not(a)` sorts
all `a` before it tests for any; `count(a) = 0` does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias, assert_never


class XPathType(Enum):
    """Type of an expression's value."""

    NODES = "node-set"
    NUMBER = "number"
    TEXT = "string"
    TRUTH = "boolean"


@dataclass(frozen=True, slots=True)
class XPathLiteral:
    """A text in quotes, without them."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written."""

    text: str


@dataclass(frozen=True, slots=True)
class XPathCall:
    """A function of XPath 1.0 and its arguments."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands with operators of one rank between them, applied from the left: `a + b - c`."""

    operands: tuple[Expression, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class XPathMinus:
    """A minus before an expression."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class NodeTest:
    """Test of a step: a name with or without prefix (`*` for any), or a kind of node such as
    `text`.
    """

    name: str = ""
    prefix: str = ""
    kind: str = ""
    target: str | None = None


@dataclass(frozen=True, slots=True)
class XPathStep:
    """The nodes on an axis that pass the test and then each of the predicates."""

    axis: str
    test: NodeTest
    predicates: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """The nodes of an expression's value that pass the predicates."""

    base: Expression
    predicates: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the context node, from the root (`absolute`), or from the nodes of an expression
    (`base`).
    """

    steps: tuple[XPathStep, ...]
    absolute: bool = False
    base: Expression | None = None


Expression: TypeAlias = XPathLiteral | Number | XPathCall | Chain | XPathMinus | Filter | Path

EVERY_NODE = NodeTest(kind="node")
ANYWHERE = XPathStep("descendant-or-self", EVERY_NODE)
"""Meaning of `//`."""

_NUMBERS = frozenset("last position count string-length number sum floor ceiling round".split())
_TRUTHS = frozenset("starts-with contains boolean not true false lang".split())


def type_of(expression: Expression) -> XPathType:
    """Return the type of an expression's value, without a document."""
    match expression:
        case XPathLiteral():
            return XPathType.TEXT
        case Number() | XPathMinus():
            return XPathType.NUMBER
        case Path():
            return XPathType.NODES
        case Filter(base):
            return type_of(base)
        case Chain(_, operators):
            if operators[0] == "|":
                return XPathType.NODES
            return (
                XPathType.NUMBER
                if operators[0] in ("+", "-", "*", "div", "mod")
                else XPathType.TRUTH
            )
        case XPathCall(name):
            if name == "id":
                return XPathType.NODES
            return (
                XPathType.NUMBER
                if name in _NUMBERS
                else XPathType.TRUTH
                if name in _TRUTHS
                else XPathType.TEXT
            )
        case _:
            assert_never(expression)


def is_positional(predicate: Expression) -> bool:
    """True if a predicate depends on a node's position: it is a number, or uses the position."""
    return type_of(predicate) is XPathType.NUMBER or _asks_position(predicate)


def _asks_position(expression: Expression) -> bool:
    """True if position() or last() refer to the context of this expression.

    Inside other predicates they refer to another context.
    """
    if isinstance(expression, XPathCall) and expression.name in ("position", "last"):
        return True
    return any(map(_asks_position, parts_of(expression)))


def parts_of(expression: Expression) -> Iterator[Expression]:
    """Yield the expressions that are evaluated in the same context as the whole."""
    match expression:
        case XPathCall(_, arguments):
            yield from arguments
        case Chain(operands):
            yield from operands
        case XPathMinus(operand):
            yield operand
        case Filter(base):
            yield base
        case Path(_, _, base):
            if base is not None:
                yield base
        case XPathLiteral() | Number():
            pass
        case _:
            assert_never(expression)


_BELOW = {"child": "descendant", "descendant": "descendant", "self": "descendant-or-self"}
"""Replacement of an axis that starts from every node."""


def shorten(expression: Expression) -> Expression:
    """Return the same expression with as few searches from every node as possible."""
    match expression:
        case XPathLiteral() | Number():
            return expression
        case XPathCall(name, arguments):
            return _counted(name, tuple(map(shorten, arguments)))
        case Chain(operands, operators):
            return Chain(tuple(map(shorten, operands)), operators)
        case XPathMinus(operand):
            return XPathMinus(shorten(operand))
        case Filter(base, predicates):
            return Filter(shorten(base), tuple(map(shorten, predicates)))
        case Path(steps, absolute, base):
            return Path(_join_steps(steps), absolute, None if base is None else shorten(base))
        case _:
            assert_never(expression)


def _counted(name: str, arguments: tuple[Expression, ...]) -> Expression:
    """Return a test for nodes as a test of their number: only `count` does not sort them first."""
    if name in ("boolean", "not") and type_of(arguments[0]) is XPathType.NODES:
        return Chain(
            (XPathCall("count", arguments), Number("0")), (">" if name == "boolean" else "=",)
        )
    return XPathCall(name, arguments)


def _join_steps(steps: tuple[XPathStep, ...]) -> tuple[XPathStep, ...]:
    found: list[XPathStep] = []
    for step in steps:
        inner = replace(step, predicates=tuple(map(shorten, step.predicates)))
        joins = found and found[-1] == ANYWHERE and step.axis in _BELOW
        if joins and not any(map(is_positional, step.predicates)):
            found[-1] = replace(inner, axis=_BELOW[step.axis])
        else:
            found.append(inner)
    return tuple(found)


def text_of(expression: Expression) -> str:
    """Return the expression as XPath; every operand is in parentheses, so no operator rank is
    needed.
    """
    match expression:
        case XPathLiteral(text):
            return f'"{text}"' if '"' not in text else f"'{text}'"
        case Number(text):
            return text
        case XPathCall(name, arguments):
            return f"{name}({', '.join(map(text_of, arguments))})"
        case Chain(operands, operators):
            texts = [f"({text_of(each)})" for each in operands]
            return " ".join(
                [
                    texts[0],
                    *(f"{sign} {text}" for sign, text in zip(operators, texts[1:], strict=True)),
                ]
            )
        case XPathMinus(operand):
            return f"- ({text_of(operand)})"
        case Filter(base, predicates):
            return f"({text_of(base)}){_predicates(predicates)}"
        case Path(steps, absolute, base):
            start = "/" if absolute else "" if base is None else f"({text_of(base)})/"
            return start + "/".join(map(_step, steps))
        case _:
            assert_never(expression)


def _step(step: XPathStep) -> str:
    return f"{step.axis}::{_test(step.test)}{_predicates(step.predicates)}"


def _test(test: NodeTest) -> str:
    if test.kind:
        return f"{test.kind}({'' if test.target is None else text_of(XPathLiteral(test.target))})"
    return f"{test.prefix}:{test.name}" if test.prefix else test.name


def _predicates(predicates: tuple[Expression, ...]) -> str:
    return "".join(f"[{text_of(each)}]" for each in predicates)
