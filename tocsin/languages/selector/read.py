"""Text to syntax tree within the limits; every failure is a problem with its place."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from tocsin.languages.base.grammar import Grammar
from tocsin.languages.base.parsing import Parser
from tocsin.languages.selector.dialects import Wording
from tocsin.languages.selector.problems import SYNTAX_CODE, Limits, exceeded
from tocsin.languages.selector.syntax_errors import syntax_problem


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
