"""Rewriting of plans: a part rebuilt with each of the parts inside it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Named,
    Only,
    Part,
    Sliding,
    Triggered,
    Window,
)

Rewrite = Callable[[Part], Part]


def with_parts(part: Part, change: Rewrite) -> Part:
    """Return the part with every part directly inside it changed; an atom is returned as it is."""
    if isinstance(part, Atom):
        return part
    match part:
        case Join(parts) | Either(parts):
            return replace(part, parts=tuple(map(change, parts)))
        case Only(inner) | Named(_, inner) | Sliding(inner):
            return replace(part, part=change(inner))
        case Triggered(inner, target):
            return replace(part, part=change(inner), target=change(target))
        case Absence(absent, window):
            return replace(part, part=change(absent), window=_with_bounds(window, change))
        case Gathered(counted, window):
            around = _with_bounds(window, change)
            assert not isinstance(around, FixedWindow | EveryWindow)
            return replace(part, part=change(counted), window=around)
        case Change(inner, state):
            changed = change(state)
            assert isinstance(changed, Atom), "a state is about one event"
            return replace(part, part=change(inner), state=changed)
        case _:
            assert_never(part)


def _with_bounds(window: Window, change: Rewrite) -> Window:
    match window:
        case FixedWindow() | EveryWindow():
            return window
        case AfterWindow(part) | BeforeWindow(part):
            return replace(window, part=change(part))
        case BetweenWindow(first, last):
            return BetweenWindow(change(first), change(last))
        case _:
            assert_never(window)
