"""Limits of a text: length and nesting. A text beyond one is refused with LIMIT."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class ConceptLimits(TextLimits):
    """Largest text in bytes, a `.tbox` text included, and deepest nesting."""

    nesting: int = 100
    tbox_bytes: int = 1 << 24


exceeded = limit_problems("LIMIT")
