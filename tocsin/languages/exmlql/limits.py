"""Limits of an E-XML-QL text. A text beyond one is refused with ExmlqlLimitError."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class ExmlqlLimits(TextLimits):
    """Bytes of text in UTF-8, nesting, and the elements, conditions, functions and blocks of a
    text.

    `steps` are those of one regular path, `queries` is the nesting depth of queries.
    """

    deepest: ClassVar[int | None] = 100

    parts: int = 1024
    steps: int = 64
    queries: int = 8


exceeded = limit_problems("ExmlqlLimitError")
