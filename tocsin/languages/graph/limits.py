"""Limits of a graph subscription. A text beyond one is refused with LIMIT."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.base.limits import TextLimits, limit_problems


@dataclass(frozen=True, slots=True)
class GraphLimits(TextLimits):
    """Bytes of text in UTF-8; levels of nesting in a filter or of groups; statements after
    translation.
    """

    statements: int = 256


exceeded = limit_problems("LIMIT")
