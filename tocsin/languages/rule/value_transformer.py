"""Values of WHERE and SELECT, from the parser's tokens to the syntax tree."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from tocsin.languages.base.parsing import Token
from tocsin.languages.base.texts import spot_of
from tocsin.languages.base.transformer import Children, NestingTransformer
from tocsin.languages.rule.syntax import (
    Distance,
    Number,
    Over,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    SelectItem,
    ValueSyntax,
)

_STEP = re.compile(r"`([^`]+)`|([^.`]+)")
_FIRST_STEP = re.compile(r"(`[^`]+`|[^.`]+)(?:\.(.*))?", re.DOTALL)

NO_NUMBER = math.inf
"""Placeholder for a number that no double holds."""


class ValueTransformer(NestingTransformer):
    """Callbacks of the parser for values."""

    def comparison(self, children: Children) -> RuleComparison:
        left, relation, right = children
        return RuleComparison(left, relation_of(relation), right, spot=spot_of(relation))

    def item(self, children: Children) -> SelectItem:
        value, *name = children
        return SelectItem(value, type_of(str(name[0])) if name else "", spot=value.spot)

    def arithmetic(self, children: Children) -> RuleArithmetic:
        left, sign, right = children
        return RuleArithmetic(
            str(sign), (left, right), spot=left.spot, depth=self._below(left.spot, (left, right))
        )

    def sign(self, children: Children) -> ValueSyntax:
        sign, value = children
        if isinstance(value, RuleConstant) and value.kind == "number":
            assert isinstance(value.value, int | float)
            signed = -value.value if sign.type == "MINUS" else value.value
            return replace(value, value=signed, spot=spot_of(sign))
        return RuleArithmetic(
            str(sign), (value,), spot=spot_of(sign), depth=self._below(value.spot, (value,))
        )

    def attribute(self, children: Children) -> RuleAttribute:
        spot = spot_of(children[0])
        name, path = split_name(spot.text)
        return RuleAttribute(type_of(name), path, spot=spot)

    def constant(self, children: Children) -> RuleConstant:
        token, spot = children[0], spot_of(children[0])
        match token.type:
            case "NUMBER":
                return RuleConstant(number_of(spot.text), spot=spot)
            case "STRING":
                quote = spot.text[0]
                return RuleConstant(spot.text[1:-1].replace(quote * 2, quote), spot=spot)
            case _:
                return RuleConstant(spot.text.upper() == "TRUE", spot=spot)

    def over(self, children: Children) -> Over:
        word, name, *path = children
        function, spot = str(word).upper(), spot_of(word)
        first, rest = split_name(str(name))
        if path:
            return Over(function, type_of(first), str(path[0])[1:], spot=spot)
        return Over(function, type_of(first), rest, spot=spot)

    def distance(self, children: Children) -> Distance:
        word, left, right = children
        return Distance(str(left), str(right), spot=spot_of(word))

    def grouped(self, children: Children) -> Any:
        return replace(children[0], depth=self._below(children[0].spot, children))


def type_of(name: str) -> str:
    """Return a name without its backticks; their content is taken as it is."""
    return ".".join(quoted or plain for quoted, plain in _STEP.findall(name))


def split_name(name: str) -> tuple[str, str]:
    """Return the first step of a name and the rest of it, both as written."""
    found = _FIRST_STEP.fullmatch(name)
    assert found is not None
    return found[1], found[2] or ""


def relation_of(token: Token) -> str:
    """Return a comparison sign; `!=` becomes `<>`."""
    return "<>" if token == "!=" else str(token)


def number_of(digits: str) -> Number:
    """Return a whole number exactly, any other as the nearest double."""
    if digits.isdecimal():
        return int(digits) if len(digits) <= 400 else NO_NUMBER
    return float(digits)
