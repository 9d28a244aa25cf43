"""Key of a pattern: its operators are partitioned by the key, and all its events have one."""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.composites import (
    Absence,
    Change,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Key,
    Keyed,
    Named,
    Only,
    Part,
    Sliding,
)
from tocsin.plan.nodes.rewriting import with_parts


def keyed_whole(part: Part, by: Key) -> Part:
    """Return the pattern restricted to matches whose events all have the same key."""
    return part if not by or _has_key(part) else Only(part, Keyed(by))


def keyed_operators(part: Part, by: Key) -> Part:
    """Return the pattern with every join and every absence partitioned by the key.

    An absence in a fixed or recurring window, which no part bounds, gets no key.
    """
    part = with_parts(part, lambda inner: keyed_operators(inner, by))
    match part:
        case Absence(_, FixedWindow() | EveryWindow()):
            return part
        case Join() | Absence():
            return replace(part, by=by)
        case _:
            return part


def _has_key(part: Part) -> bool:
    if isinstance(part, Named | Only):
        return _has_key(part.part)
    return isinstance(part, Join | Absence | Gathered | Sliding | Change) and bool(part.by)
