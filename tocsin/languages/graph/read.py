"""From text to statements within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tocsin.errors import Place
from tocsin.languages.base.parsing import Parser, Unexpected
from tocsin.languages.base.texts import TooDeep, refuse_long
from tocsin.languages.graph.limits import Limits, exceeded
from tocsin.languages.graph.syntax import Query, Subscription
from tocsin.languages.graph.syntax_errors import syntax_problem
from tocsin.languages.graph.transformer import Transformer


def read(text: str, limits: Limits) -> Subscription | Query:
    """The syntax of a subscription in either spelling."""
    refuse_long(text, limits.text_bytes, "SYNTAX", exceeded, "subscription")
    try:
        found: Subscription | Query = _parser(limits.nesting).read(text)
    except Unexpected as error:
        raise syntax_problem(text, error) from None
    except TooDeep as error:
        raise exceeded(
            f"the filter nests deeper than {limits.nesting} levels",
            Place.at(text, error.offset),
            "drop parentheses that change nothing",
        ) from None
    return found


@cache
def _parser(nesting: int) -> Parser:
    grammar = files("tocsin.languages.graph") / "grammar.lark"
    return Parser(grammar.read_text(encoding="utf-8"), Transformer(nesting))
