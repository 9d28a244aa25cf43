"""From text to statements within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tocsin.errors import Place
from tocsin.languages.graph.build import Builder
from tocsin.languages.graph.hints import syntax_problem
from tocsin.languages.graph.limits import Limits, exceeded
from tocsin.languages.graph.syntax import Query, Subscription
from tocsin.languages.parsing import Parser, Unexpected
from tocsin.languages.texts import TooDeep, refuse_long


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
    grammar = files("tocsin.languages.graph") / "graph.lark"
    return Parser(grammar.read_text(encoding="utf-8"), Builder(nesting))
