"""The problems of a selector that parses: wrong types and wrong escapes, each with its place."""

from __future__ import annotations

from tocsin.errors import Problem
from tocsin.languages.base.texts import Spot, problem_at

SYNTAX_CODE = "SelectorSyntaxError"


def type_problem(text: str, spot: Spot, message: str, hint: str) -> Problem:
    """A value of a kind that its operator cannot use."""
    return problem_at(text, spot, "SelectorTypeError", message, hint)


def escape_problem(text: str, spot: Spot, message: str, hint: str) -> Problem:
    """An ESCAPE clause, or its use in the pattern, that means nothing."""
    return problem_at(text, spot, "SelectorEscapeError", message, hint)


def form_problem(text: str, spot: Spot, message: str, hint: str) -> Problem:
    """A text that the parser can read and the language still does not contain."""
    return problem_at(text, spot, SYNTAX_CODE, message, hint)
