"""From text to syntax within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from tocsin.errors import Place
from tocsin.languages.base.embedded import blanked
from tocsin.languages.base.parsing import Parser, Unexpected
from tocsin.languages.base.texts import TooDeep, refuse_long
from tocsin.languages.opsl.limits import Limits, exceeded
from tocsin.languages.opsl.syntax import Subscription, nodes_of
from tocsin.languages.opsl.syntax_errors import syntax_problem
from tocsin.languages.opsl.transformer import Transformer

CODE = "OpslSyntaxError"

_SHORTER = "split the subscription, or name its regions and parts and use the names"
_OPENING = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|([A-Za-z]+)?\s*\{""")
"""The brace of an atom of another language; texts in quotes, in which none counts."""


def read(text: str, limits: Limits) -> Subscription:
    """The syntax of a subscription."""
    refuse_long(text, limits.text_bytes, CODE, exceeded, "subscription", _SHORTER)
    plain = blanked(text, _OPENING, CODE)
    try:
        subscription: Subscription = _parser(limits.nesting).read(plain)
    except Unexpected as found:
        raise syntax_problem(plain, found) from None
    except TooDeep as found:
        raise exceeded(
            f"the subscription nests deeper than {limits.nesting} levels",
            Place.at(text, found.offset),
            "drop parentheses that change nothing, or name a part and use the name",
        ) from None
    _refuse_large(subscription, limits)
    return subscription


@cache
def _parser(nesting: int) -> Parser:
    grammar = files("tocsin.languages.opsl") / "grammar.lark"
    return Parser(grammar.read_text(encoding="utf-8"), Transformer(nesting))


def _refuse_large(subscription: Subscription, limits: Limits) -> None:
    if len(subscription.bindings) > limits.variables:
        raise exceeded(
            f"the subscription has more than {limits.variables} variables",
            Place(1, 1),
            "split the subscription",
        )
    bodies = (subscription.main, *(each.definition for each in subscription.bindings))
    size = len(subscription.comparisons) + sum(1 for body in bodies for _ in nodes_of(body))
    if size > limits.parts:
        raise exceeded(
            f"the subscription has {size:,} parts, the limit is {limits.parts:,}",
            Place(1, 1),
            "split the subscription, or say several conditions on one event as one atom: selector{"
            " ... }",
        )
