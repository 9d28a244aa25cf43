"""Condition on a rule as a whole: the upper bound of its duration."""

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


def with_max_duration(part: Part, limit: Duration) -> Part:
    """Return the pattern with an upper bound on its duration.

    Its parts get the bound as well, so that no state is kept longer.
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
    return part  # events counted in a window do not add to the duration of the whole


def _takes(part: Part) -> bool:
    """True if the part itself can test the duration of the whole."""
    if isinstance(part, Absence):
        return isinstance(part.window, BetweenWindow)
    return isinstance(part, Join | Gathered)
