"""How long and how deep a text may be. What exceeds it is refused with LIMIT."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class Limits(TextLimits):
    """The largest text in bytes, a `.tbox` text included, and the deepest nesting."""

    nesting: int = 100
    tbox_bytes: int = 1 << 24


exceeded = limit_problems("LIMIT")
