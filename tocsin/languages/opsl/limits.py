"""Limits of an OPSL text. What exceeds one is refused with OpslLimitError before it can cost
anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem, MeaningProblem, Place

DEEPEST = 100
"""The highest nesting that may be configured: detection walks a plan recursively."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of text in UTF-8; levels of nesting and parts, with names written out; variables;
    digits of a number.
    """

    text_bytes: int = 64 << 10
    nesting: int = 64
    parts: int = 1024
    variables: int = 256
    digits: int = 400

    def __post_init__(self) -> None:
        if self.nesting > DEEPEST:
            raise MeaningProblem(f"the nesting limit is at most {DEEPEST}, got {self.nesting}")


def exceeded(message: str, place: Place | None, hint: str, token: str = "") -> LimitProblem:
    """The problem of a text that goes beyond a limit."""
    return LimitProblem(message, code="OpslLimitError", place=place, token=token, hint=hint)
