"""Plans rebuilt: the same part with other parts inside it, or with other names. Equal parts stay equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from tocsin.plan.atoms import Condition
from tocsin.plan.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Either,
    FixedWindow,
    Join,
    JoinCondition,
    Named,
    Only,
    Part,
    PartAttribute,
    Related,
    Window,
    parts_of,
)


class Sizes:
    """How many parts a part has with every name written out, and how deep they nest. Shared parts are measured once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Part, int, int]] = {}

    def of(self, part: Part) -> tuple[int, int]:
        """Parts and levels, the part itself included."""
        if id(part) not in self._known:
            inner = [self.of(each) for each in parts_of(part)]
            count = 1 + sum(each for each, _ in inner)
            self._known[id(part)] = (part, count, 1 + max((each for _, each in inner), default=0))
        _, count, levels = self._known[id(part)]
        return count, levels


def mapped(part: Part, change: Callable[[Part], Part]) -> Part:
    """The part with every part directly inside it changed."""
    match part:
        case Condition():
            return part
        case Join(parts) | Either(parts):
            return replace(part, parts=tuple(map(change, parts)))
        case Only(inner) | Named(_, inner):
            return replace(part, part=change(inner))
        case Absence(absent, window):
            return replace(part, part=change(absent), window=_mapped_window(window, change))
        case _:
            assert_never(part)


def renamed(part: Part, prefix: str) -> Part:
    """The part with the prefix before every name in it."""
    inner = mapped(part, lambda each: renamed(each, prefix))
    match inner:
        case Named(name):
            return replace(inner, name=prefix + name)
        case Join(_, conditions):
            return replace(inner, conditions=tuple(_renamed_condition(each, prefix) for each in conditions))
        case Absence():
            return replace(inner, conditions=tuple(_renamed_related(each, prefix) for each in inner.conditions))
        case _:
            return inner


def _mapped_window(window: Window, change: Callable[[Part], Part]) -> Window:
    match window:
        case FixedWindow():
            return window
        case AfterWindow(part):
            return replace(window, part=change(part))
        case BetweenWindow(first, last):
            return BetweenWindow(change(first), change(last))
        case _:
            assert_never(window)


def _renamed_condition(condition: JoinCondition, prefix: str) -> JoinCondition:
    return _renamed_related(condition, prefix) if isinstance(condition, Related) else condition


def _renamed_related(condition: Related, prefix: str) -> Related:
    left, right = condition.left, condition.right
    return Related(
        PartAttribute(prefix + left.name, left.path), condition.relation, PartAttribute(prefix + right.name, right.path)
    )
