"""Limits of an OPSL text. A text beyond one is refused with OpslLimitError."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class OpslLimits(TextLimits):
    """Bytes of text in UTF-8; nesting and parts with names written out; variables; digits of a
    number.
    """

    deepest: ClassVar[int | None] = 100

    parts: int = 1024
    variables: int = 256
    digits: int = 400


exceeded = limit_problems("OpslLimitError")
