"""Warnings: queries that are legal and probably not meant. They refuse nothing.

UNSATISFIABLE: the result is always empty, because a parameter has no value or two leave no time.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.epcis.problems import place_of
from tocsin.languages.epcis.read import EpcisQuery
from tocsin.languages.epcis.values import as_instant
from tocsin.plan.semantics.implication import can_all_hold

_ONE_TIME = ("eventTime", "recordTime", "errorDeclarationTime", "errorDeclaration_Time")
"""Times that an event has at most one of, so that both limits are about the same value."""


def warnings_of(query: EpcisQuery) -> list[Problem]:
    """Return the warnings of a query without problems, in the order of its parameters."""
    return [*_empty(query), *_no_time_left(query)]


def _empty(query: EpcisQuery) -> Iterator[Problem]:
    for name, value in query.parameters.items():
        if value == []:
            message = f"{name} has no value, and no event has one of none"
            yield _warning(query, name, message, f"give it a value, or leave {name} out")


def _no_time_left(query: EpcisQuery) -> Iterator[Problem]:
    for field in _ONE_TIME:
        first, last = f"GE_{field}", f"LT_{field}"
        limits = [_instant(query.parameters.get(name)) for name in (first, last)]
        if None not in limits and not can_all_hold(zip((">=", "<"), limits, strict=True)):
            message = f"no time is at or after {first} and before {last}"
            yield _warning(
                query, last, message, f"{first} is the earlier one, {last} the later one"
            )


def _instant(value: object) -> int | None:
    return as_instant(value[0] if isinstance(value, list) and len(value) == 1 else value)


def _warning(query: EpcisQuery, name: str, message: str, hint: str) -> Problem:
    return MeaningProblem(
        message,
        code="UNSATISFIABLE",
        place=place_of(query.text, name),
        token=name,
        hint=f"it never rings; {hint}",
    )
