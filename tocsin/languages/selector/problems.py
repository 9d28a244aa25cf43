"""The problems of a selector that parses: wrong types and wrong escapes, each with its place."""

from __future__ import annotations

from tocsin.errors import MeaningProblem, Place, SyntaxProblem
from tocsin.languages.base.texts import Spot


def type_problem(text: str, spot: Spot, message: str, hint: str) -> MeaningProblem:
    """A value of a kind that its operator cannot use."""
    return MeaningProblem(
        message,
        code="SelectorTypeError",
        place=Place.at(text, spot.offset),
        token=spot.text,
        hint=hint,
    )


def escape_problem(text: str, spot: Spot, message: str, hint: str) -> MeaningProblem:
    """An ESCAPE clause, or its use in the pattern, that means nothing."""
    return MeaningProblem(
        message,
        code="SelectorEscapeError",
        place=Place.at(text, spot.offset),
        token=spot.text,
        hint=hint,
    )


def form_problem(text: str, spot: Spot, message: str, hint: str) -> SyntaxProblem:
    """A text that the parser can read and the language still does not contain."""
    return SyntaxProblem(
        message,
        code="SelectorSyntaxError",
        place=Place.at(text, spot.offset),
        token=spot.text,
        hint=hint,
    )
