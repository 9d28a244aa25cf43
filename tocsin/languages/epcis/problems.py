"""The problems of a query, each with the place of its parameter; a wrong one goes by the standard's
exception.
"""

from __future__ import annotations

from tocsin.errors import MeaningProblem, Place, SyntaxProblem, UnsupportedProblem

SYNTAX = "QuerySyntaxError"
PARAMETER = "QueryParameterException"
CONTROL = "QueryControlError"


def syntax_problem(
    message: str, place: Place | None = None, hint: str = "", token: str = ""
) -> SyntaxProblem:
    """The text is no query."""
    return SyntaxProblem(message, code=SYNTAX, place=place, token=token, hint=hint)


def parameter_problem(text: str, name: str, message: str, hint: str = "") -> MeaningProblem:
    """A parameter that is not known, or whose value it cannot have."""
    return MeaningProblem(
        message, code=PARAMETER, place=place_of(text, name), token=name, hint=hint
    )


def control_problem(text: str, name: str) -> UnsupportedProblem:
    """A parameter that orders or cuts a finished result, which a subscription never has."""
    return UnsupportedProblem(
        f"{name} has no meaning for a subscription: events are delivered as they come, all of them",
        code=CONTROL,
        place=place_of(text, name),
        token=name,
        hint=f"leave {name} out",
    )


def place_of(text: str, name: str) -> Place | None:
    """Where a parameter stands in the text of the query, JSON or XML."""
    for written in (f'"{name}"', f">{name}<"):
        offset = text.find(written)
        if offset >= 0:
            return Place.at(text, offset + 1)
    return None
