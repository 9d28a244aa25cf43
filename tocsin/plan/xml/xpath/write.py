"""An expression as text again, rewritten at least cost with the same meaning.

`//a[b]` means every child `a` of every node: a search from each node, whose results must be sorted.
If no predicate uses positions, `/descendant::a[b]` means the same with one search. `not(a)` sorts
all `a` before it tests for any; `count(a) = 0` does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from tocsin.plan.xml.xpath.syntax import (
    ANYWHERE,
    Chain,
    Expression,
    Filter,
    NodeTest,
    Number,
    Path,
    XPathCall,
    XPathLiteral,
    XPathMinus,
    XPathStep,
    XPathType,
    is_positional,
    type_of,
)

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
