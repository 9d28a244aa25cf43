"""How long and how deep a text may be."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem, Place


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest text in bytes, and the deepest nesting."""

    text_bytes: int = 1 << 16
    tbox_bytes: int = 1 << 24
    nesting: int = 100


def exceeded(message: str, place: Place, hint: str) -> LimitProblem:
    """The problem of a text past a limit."""
    return LimitProblem(message, code="LIMIT", place=place, hint=hint)
