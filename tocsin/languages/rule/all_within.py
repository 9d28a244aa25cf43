"""What is demanded of a rule as a whole: that it is over within a time."""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.composites import (
    Absence,
    BetweenWindow,
    Either,
    Fulfilling,
    Gathered,
    Join,
    Named,
    Only,
    Part,
)
from tocsin.plan.nodes.measures import Lasts
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.values.time import Duration


def bounded_whole(part: Part, limit: Duration) -> Part:
    """The pattern, lasting at most so long; what is part of it lasts no longer, so that no state
    waits longer.
    """
    lasts = Lasts(limit)
    inner = _bounded_parts(part, lasts)
    return inner if _takes(inner) else Only(inner, Fulfilling((lasts,)))


def _bounded_parts(part: Part, lasts: Lasts) -> Part:
    if isinstance(part, Join | Either | Named):
        part = with_parts(part, lambda each: _bounded_parts(each, lasts))
    if isinstance(part, Join):
        return replace(part, conditions=(*part.conditions, lasts))
    if isinstance(part, Absence | Gathered) and _takes(part):
        return replace(part, conditions=(*part.conditions, lasts))
    return part  # what is counted in a window is not part of how long the whole lasts


def _takes(part: Part) -> bool:
    """Whether the part itself can ask how long the whole lasts."""
    if isinstance(part, Absence):
        return isinstance(part.window, BetweenWindow)
    return isinstance(part, Join | Gathered)
