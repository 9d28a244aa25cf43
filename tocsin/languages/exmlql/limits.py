"""Limits of an E-XML-QL text. What exceeds one is refused with ExmlqlLimitError."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class Limits(TextLimits):
    """Bytes of text in UTF-8, levels of nesting, and the elements, conditions, functions and blocks
    of a subscription.

    `steps` are those of one regular path, `queries` how many may stand inside of each other.
    """

    deepest: ClassVar[int | None] = 100

    parts: int = 1024
    steps: int = 64
    queries: int = 8


exceeded = limit_problems("ExmlqlLimitError")
