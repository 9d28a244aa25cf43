"""Limits of a graph subscription. What exceeds one is refused with LIMIT before it can cost
anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem, Place


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of text in UTF-8; levels of nesting in a filter or of groups; statements after
    translation.
    """

    text_bytes: int = 64 << 10
    nesting: int = 64
    statements: int = 256


def exceeded(message: str, place: Place | None, hint: str) -> LimitProblem:
    """The problem of a text that goes beyond a limit."""
    return LimitProblem(message, code="LIMIT", place=place, hint=hint)
