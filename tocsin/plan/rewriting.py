"""Rewriting a plan: a part rebuilt with each of the parts inside it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from tocsin.plan.atoms import Atom
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Either,
    EveryWindow,
    FixedWindow,
    Join,
    Named,
    Only,
    Part,
    Triggered,
    Window,
)

Change = Callable[[Part], Part]


def with_parts(part: Part, change: Change) -> Part:
    """The part with every part directly inside it changed; an atom is returned as it is."""
    if isinstance(part, Atom):
        return part
    match part:
        case Join(parts) | Either(parts):
            return replace(part, parts=tuple(map(change, parts)))
        case Only(inner) | Named(_, inner):
            return replace(part, part=change(inner))
        case Triggered(inner, target):
            return replace(part, part=change(inner), target=change(target))
        case Absence(absent, window):
            return replace(part, part=change(absent), window=_with_bounds(window, change))
        case _:
            assert_never(part)


def _with_bounds(window: Window, change: Change) -> Window:
    match window:
        case FixedWindow() | EveryWindow():
            return window
        case AfterWindow(part) | BeforeWindow(part):
            return replace(window, part=change(part))
        case BetweenWindow(first, last):
            return BetweenWindow(change(first), change(last))
        case _:
            assert_never(window)
