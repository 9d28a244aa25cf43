"""Limits of a selector's text. What exceeds one is refused with SelectorLimitError before it can
cost anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem, MeaningProblem, Place

DEEPEST = 200
"""The highest nesting that may be configured: evaluators walk a condition recursively."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of text in UTF-8; levels of parentheses, NOT, signs and arithmetic; predicates; digits
    of one number.
    """

    text_bytes: int = 64 << 10
    nesting: int = 64
    literals: int = 1024
    digits: int = 400

    def __post_init__(self) -> None:
        if self.nesting > DEEPEST:
            raise MeaningProblem(f"the nesting limit is at most {DEEPEST}, got {self.nesting}")


def exceeded(message: str, place: Place | None, hint: str, token: str = "") -> LimitProblem:
    """The problem of a text that goes beyond a limit."""
    return LimitProblem(message, code="SelectorLimitError", place=place, token=token, hint=hint)
