"""Text to syntax tree: one method per rule of `grammar.lark` and its values.

The nesting limit is checked here: parentheses, NOT, signs, arithmetic and functions each add a
level, chains of AND and OR none.

Every failure is a problem with its place.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

from tocsin.languages.base.grammar import Children, Grammar, NestingTransformer, depth_of
from tocsin.languages.base.parsing import Parser, Token
from tocsin.languages.base.texts import spot_of
from tocsin.languages.selector.dialects import Wording
from tocsin.languages.selector.problems import SYNTAX_CODE, Limits, exceeded
from tocsin.languages.selector.syntax import (
    AttributeName,
    BetweenTest,
    InTest,
    LikeTest,
    LiteralKind,
    NullTest,
    SelectorArithmetic,
    SelectorComparison,
    SelectorConjunction,
    SelectorDisjunction,
    SelectorFunction,
    SelectorLiteral,
    SelectorNegation,
    Syntax,
)
from tocsin.languages.selector.syntax_errors import syntax_problem


class SelectorTransformer(NestingTransformer):
    """Callbacks of the parser. Its only state is the nesting limit, so one serves every text."""

    def start(self, children: Children) -> Syntax | None:
        """Return the condition; None for a text without one."""
        return children[0] if children else None

    def name(self, children: Children) -> Syntax:
        return AttributeName(spot_of(children[0]))

    def number(self, children: Children) -> Syntax:
        return SelectorLiteral(spot_of(children[0]), LiteralKind.NUMBER)

    def string(self, children: Children) -> Syntax:
        return SelectorLiteral(spot_of(children[0]), LiteralKind.STRING)

    def boolean(self, children: Children) -> Syntax:
        return SelectorLiteral(spot_of(children[0]), LiteralKind.BOOLEAN)

    def group(self, children: Children) -> Syntax:
        opening, inner = children
        deeper: Syntax = replace(inner, depth=self._below(spot_of(opening), [inner]))
        return deeper

    def sign(self, children: Children) -> Syntax:
        operator, operand = children
        spot = spot_of(operator)
        return SelectorArithmetic(spot, spot.text, (operand,), self._below(spot, [operand]))

    def arithmetic(self, children: Children) -> Syntax:
        left, operator, right = children
        spot = spot_of(operator)
        return SelectorArithmetic(spot, spot.text, (left, right), self._below(spot, [left, right]))

    def call(self, children: Children) -> Syntax:
        name, _, *arguments = children
        spot = spot_of(name)
        return SelectorFunction(
            spot, spot.text.upper(), tuple(arguments), self._below(spot, arguments)
        )

    def exists(self, children: Children) -> Syntax:
        subject = AttributeName(spot_of(children[-1]))
        return NullTest(subject.spot, subject, negated=True, depth=0)

    def comparison(self, children: Children) -> Syntax:
        left, relation, right = children
        spot = spot_of(relation)
        return SelectorComparison(
            spot, "<>" if spot.text == "!=" else spot.text, left, right, depth_of([left, right])
        )

    def like(self, children: Children) -> Syntax:
        return _like(children, negated=False)

    def not_like(self, children: Children) -> Syntax:
        return _like(_without_tokens(children), negated=True)

    def between(self, children: Children) -> Syntax:
        return _between(children, negated=False)

    def not_between(self, children: Children) -> Syntax:
        return _between(_without_tokens(children), negated=True)

    def among(self, children: Children) -> Syntax:
        return _among(_without_tokens(children), negated=False)

    def not_among(self, children: Children) -> Syntax:
        return _among(_without_tokens(children), negated=True)

    def is_null(self, children: Children) -> Syntax:
        return NullTest(children[0].spot, children[0], False, children[0].depth)

    def is_not_null(self, children: Children) -> Syntax:
        return NullTest(children[0].spot, children[0], True, children[0].depth)

    def negated(self, children: Children) -> Syntax:
        word, operand = children
        spot = spot_of(word)
        return SelectorNegation(spot, operand, self._below(spot, [operand]))

    def all_of(self, children: Children) -> Syntax:
        return SelectorConjunction(children[0].spot, tuple(children), depth_of(children))

    def any_of(self, children: Children) -> Syntax:
        return SelectorDisjunction(children[0].spot, tuple(children), depth_of(children))


def _like(operands: Children, negated: bool) -> Syntax:
    subject, pattern, *escape = operands
    return LikeTest(
        subject.spot, subject, pattern, escape[0] if escape else None, negated, depth_of(operands)
    )


def _between(operands: Children, negated: bool) -> Syntax:
    subject, low, high = operands
    return BetweenTest(subject.spot, subject, low, high, negated, depth_of(operands))


def _among(operands: Children, negated: bool) -> Syntax:
    subject, *elements = operands
    return InTest(subject.spot, subject, tuple(elements), negated, depth_of(operands))


def _without_tokens(children: Children) -> Children:
    return [child for child in children if not isinstance(child, Token)]


def read(parser: Parser, text: str, limits: Limits, wording: Wording) -> Any:
    """Return the result of the parser's transformer for the text."""
    return _grammar(wording).read(parser, text, limits)


@cache
def _grammar(wording: Wording) -> Grammar:
    return Grammar(
        SYNTAX_CODE,
        partial(syntax_problem, wording=wording),
        exceeded,
        flatter="drop parentheses that change nothing, or split the subscription",
        what="selector",
    )
