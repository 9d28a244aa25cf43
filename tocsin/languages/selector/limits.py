"""Limits of a selector's text. A text beyond one is refused with SelectorLimitError."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class Limits(TextLimits):
    """Bytes of text in UTF-8; levels of parentheses, NOT, signs and arithmetic; predicates; digits
    of one number.
    """

    deepest: ClassVar[int | None] = 200

    literals: int = 1024
    digits: int = 400


exceeded = limit_problems("SelectorLimitError")
