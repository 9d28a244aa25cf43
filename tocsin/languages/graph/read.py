"""From text to statements within the limits; every way to fail is a Problem with its place."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.graph.build import Builder, TooDeep
from tocsin.languages.graph.hints import syntax_problem
from tocsin.languages.graph.limits import Limits, exceeded
from tocsin.languages.graph.syntax import Query, Subscription
from tocsin.languages.parsing import Parser, Unexpected


def read(text: str, limits: Limits) -> Subscription | Query:
    """The syntax of a subscription in either spelling."""
    _refuse_long(text, limits)
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


def _refuse_long(text: str, limits: Limits) -> None:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise SyntaxProblem(
            "half of a surrogate pair is no character",
            code="SYNTAX",
            place=Place.at(text, error.start),
            token=ascii(text[error.start]),
            hint="write the text in valid Unicode",
        ) from None
    if size > limits.text_bytes:
        raise exceeded(
            f"the subscription has {size:,} bytes, the limit is {limits.text_bytes:,}", Place(1, 1), "split it"
        )
