"""CloudEvents SQL as one computed predicate: the text keeps its order, which short-circuiting and
errors make visible.

`<>` and `!=` are NOT over `=`, NOT LIKE and NOT IN are NOT over the positive operator
(specification, section 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tocsin.errors import Place
from tocsin.languages.base.grammar import grammar_of
from tocsin.languages.base.parsing import Parser, Token
from tocsin.languages.base.texts import SourceSpan, TooDeep
from tocsin.languages.selector.dialects import CESQL_WORDING
from tocsin.languages.selector.problems import Limits, exceeded, form_problem
from tocsin.languages.selector.transformer import read
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Value
from tocsin.values.scalars import ENVELOPE, Constant, Kind

_LARGEST = 2**31 - 1


def read_expression(text: str, limits: Limits) -> Expression:
    """Return the expression of a CESQL text.

    Raises SelectorSyntaxError where the specification has a ParseError.
    """
    built: _SizedExpression = read(_parser(limits.nesting), text, limits, CESQL_WORDING)
    for spot in built.oversized:
        raise form_problem(
            text, spot, f"{spot.text} is not a 32-bit integer", f"the largest integer is {_LARGEST}"
        )
    if built.names > limits.literals:
        raise exceeded(
            f"the selector names more than {limits.literals:,} attributes",
            Place(1, 1),
            "split the subscription",
        )
    return built.expression


@cache
def _parser(nesting: int) -> Parser:
    return Parser(grammar_of("selector", "cesql"), _Transformer(nesting))


@dataclass(frozen=True, slots=True)
class _SizedExpression:
    """An expression with its depth, its number of names, and its integers out of range."""

    expression: Expression
    depth: int = 0
    names: int = 0
    oversized: tuple[SourceSpan, ...] = ()


class _Transformer:
    """Callbacks of the parser: one method per rule of `cesql.lark`."""

    def __init__(self, nesting: int) -> None:
        self._nesting = nesting

    def start(self, children: list[Any]) -> _SizedExpression:
        return _parts(children)[0]

    def name(self, children: list[Any]) -> _SizedExpression:
        return _SizedExpression(Attribute((ENVELOPE, str(children[0]).lower())), names=1)

    def number(self, children: list[Any]) -> _SizedExpression:
        return _integer(str(children[-1]), children[-1].start_pos or 0, 1)

    plus_number = number

    def string(self, children: list[Any]) -> _SizedExpression:
        return _SizedExpression(Value(Constant.of(_unquoted(children[0]))))

    def boolean(self, children: list[Any]) -> _SizedExpression:
        return _SizedExpression(Value(Constant.of(str(children[0]).upper() == "TRUE")))

    def group(self, children: list[Any]) -> _SizedExpression:
        inner = _parts(children)[0]
        return self._deeper(inner.expression, children)

    def call(self, children: list[Any]) -> _SizedExpression:
        arguments = tuple(part.expression for part in _parts(children))
        return self._deeper(Call(str(children[0]).upper(), arguments), children)

    def exists(self, children: list[Any]) -> _SizedExpression:
        return _SizedExpression(
            Call("EXISTS", (Attribute((ENVELOPE, str(children[0]).lower())),)), names=1
        )

    def negated(self, children: list[Any]) -> _SizedExpression:
        return self._deeper(_not(_parts(children)[0].expression), children)

    def minus(self, children: list[Any]) -> _SizedExpression:
        sign, operand = children
        match operand:
            case _SizedExpression(Value(Constant(Kind.NUMBER, value)), 0) if not str(
                value
            ).startswith("-"):
                digits = operand.oversized[0].text if operand.oversized else str(value)
                return _integer(digits, sign.start_pos or 0, -1)
        return self._deeper(Call("-", (operand.expression,)), children)

    def binary(self, children: list[Any]) -> _SizedExpression:
        left, operator, right = children
        operands = (left.expression, right.expression)
        if operator in ("<>", "!="):
            return self._deeper(_not(Call("=", operands)), children)
        return self._deeper(Call(str(operator), operands), children)

    def logic(self, children: list[Any]) -> _SizedExpression:
        """Return a run of one operator as one call; a run of another operator becomes its first
        operand.
        """
        first, *rest = children
        expression, operator, depth = first.expression, "", 0
        for word, operand in zip(rest[::2], rest[1::2], strict=True):
            if operator == word.upper():
                expression = Call(operator, (*expression.arguments, operand.expression))
            else:
                operator, depth = str(word).upper(), depth + 1
                expression = Call(operator, (expression, operand.expression))
        return self._deeper(expression, children, levels=depth)

    def like(self, children: list[Any]) -> _SizedExpression:
        subject = children[0].expression
        return self._deeper(
            Call("LIKE", (subject, Value(Constant.of(_unquoted(children[-1]))))), children
        )

    def not_like(self, children: list[Any]) -> _SizedExpression:
        liked = self.like(children)
        return _SizedExpression(_not(liked.expression), liked.depth, liked.names, liked.oversized)

    def among(self, children: list[Any]) -> _SizedExpression:
        return self._deeper(
            Call("IN", tuple(part.expression for part in _parts(children))), children
        )

    def not_among(self, children: list[Any]) -> _SizedExpression:
        return self._deeper(
            _not(Call("IN", tuple(part.expression for part in _parts(children)))), children
        )

    def _deeper(
        self, expression: Expression, children: Sequence[Any], levels: int = 1
    ) -> _SizedExpression:
        parts = _parts(children)
        depth = max((part.depth for part in parts), default=0) + levels
        if depth > self._nesting:
            raise TooDeep(
                next((child.start_pos or 0 for child in children if isinstance(child, Token)), 0)
            )
        oversized = tuple(spot for part in parts for spot in part.oversized)
        return _SizedExpression(expression, depth, sum(part.names for part in parts), oversized)


def _parts(children: Sequence[Any]) -> list[_SizedExpression]:
    return [child for child in children if isinstance(child, _SizedExpression)]


def _not(expression: Expression) -> Expression:
    return Call("NOT", (expression,))


def _integer(written: str, offset: int, sign: int) -> _SizedExpression:
    """Return an integer literal.

    The range is checked after the sign is known, so that -2147483648 can be written.
    """
    digits = written.lstrip("0") or "0"
    value = sign * int(digits) if len(digits) <= 10 else sign * 10**10
    fits = -_LARGEST - 1 <= value <= _LARGEST
    return _SizedExpression(
        Value(Constant.of(value)), oversized=() if fits else (SourceSpan(offset, written),)
    )


def _unquoted(token: Token) -> str:
    """Return a text literal without quotes; its own quote may stand inside behind a backslash.

    Other backslashes are ordinary characters.
    """
    quote = token[0]
    return token[1:-1].replace("\\" + quote, quote)
