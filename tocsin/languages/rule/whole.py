"""What is demanded of a rule as a whole: that it is over within a time, and that it has a key."""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.composites import (
    Absence,
    BetweenWindow,
    Change,
    Either,
    Fulfilling,
    Gathered,
    Join,
    Key,
    Keyed,
    Named,
    Only,
    Part,
    Sliding,
)
from tocsin.plan.measures import Lasts
from tocsin.plan.rewriting import with_parts
from tocsin.values.time import Duration


def bounded_whole(part: Part, limit: Duration) -> Part:
    """The pattern, lasting at most so long; what is part of it lasts no longer, so that no state
    waits longer.
    """
    lasts = Lasts(limit)
    inner = _bounded_parts(part, lasts)
    return inner if _takes(inner) else Only(inner, Fulfilling((lasts,)))


def keyed_whole(part: Part, by: Key) -> Part:
    """The pattern, of which all events have the same key."""
    return part if not by or _has_key(part) else Only(part, Keyed(by))


def _has_key(part: Part) -> bool:
    if isinstance(part, Named | Only):
        return _has_key(part.part)
    return isinstance(part, Join | Absence | Gathered | Sliding | Change) and bool(part.by)


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
