"""Limits of a rule. What exceeds one is refused with RuleLimitError, and the reason, before it can
cost anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem, Place
from tocsin.plan.measures import LONGEST_WINDOW
from tocsin.values.time import Duration


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of text in UTF-8; levels of nesting; parts; steps in a row; times that a part is
    repeated; the longest duration.
    """

    text_bytes: int = 64 << 10
    nesting: int = 64
    parts: int = 1024
    steps: int = 50
    times: int = 10_000
    duration: Duration = LONGEST_WINDOW


def exceeded(message: str, place: Place | None, hint: str, token: str = "") -> LimitProblem:
    """The problem of a rule that goes beyond a limit."""
    return LimitProblem(message, code="RuleLimitError", place=place, token=token, hint=hint)
