"""Limits of an E-XML-QL text. What exceeds one is refused with ExmlqlLimitError before it can cost
anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem, MeaningProblem, Place

DEEPEST = 100
"""The highest nesting that may be configured: patterns and detection are walked recursively."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of text in UTF-8, levels of nesting, and the elements, conditions, functions and blocks
    of a subscription.

    `steps` are those of one regular path, `queries` how many may stand inside of each other.
    """

    text_bytes: int = 64 << 10
    nesting: int = 64
    parts: int = 1024
    steps: int = 64
    queries: int = 8

    def __post_init__(self) -> None:
        if self.nesting > DEEPEST:
            raise MeaningProblem(f"the nesting limit is at most {DEEPEST}, got {self.nesting}")


def exceeded(message: str, place: Place | None, hint: str) -> LimitProblem:
    """The problem of a text that goes beyond a limit."""
    return LimitProblem(message, code="ExmlqlLimitError", place=place, hint=hint)
