"""Problems of a query, each at its parameter; for a wrong one the code is the exception of the
standard.
"""

from __future__ import annotations

from tocsin.errors import MeaningProblem, Place, SyntaxProblem, UnsupportedProblem

SYNTAX = "QuerySyntaxError"
PARAMETER = "QueryParameterException"
CONTROL = "QueryControlError"


def syntax_problem(
    message: str, place: Place | None = None, hint: str = "", token: str = ""
) -> SyntaxProblem:
    """Return the problem of a text that is not a query."""
    return SyntaxProblem(message, code=SYNTAX, place=place, token=token, hint=hint)


def parameter_problem(text: str, name: str, message: str, hint: str = "") -> MeaningProblem:
    """Return the problem of an unknown parameter or an invalid value."""
    return MeaningProblem(
        message, code=PARAMETER, place=place_of(text, name), token=name, hint=hint
    )


def control_problem(text: str, name: str) -> UnsupportedProblem:
    """Return the problem of a parameter that orders or cuts a result: subscriptions have none."""
    return UnsupportedProblem(
        f"{name} has no meaning for a subscription: events are delivered as they come, all of them",
        code=CONTROL,
        place=place_of(text, name),
        token=name,
        hint=f"leave {name} out",
    )


def place_of(text: str, name: str) -> Place | None:
    """Return the place of a parameter in the text of the query, JSON or XML; None if not found."""
    for written in (f'"{name}"', f">{name}<"):
        offset = text.find(written)
        if offset >= 0:
            return Place.at(text, offset + 1)
    return None
