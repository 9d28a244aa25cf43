"""Plans rebuilt: the same part with other parts inside it, or with other names. Equal parts stay
equal.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.composites import (
    Absence,
    Join,
    JoinCondition,
    Named,
    Part,
    PartAttribute,
    Related,
    parts_of,
)
from tocsin.plan.rewriting import with_parts


class Sizes:
    """How many parts a part has with every name written out, and how deep they nest. Shared parts
    are measured once.
    """

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


def renamed(part: Part, prefix: str) -> Part:
    """The part with the prefix before every name in it."""
    inner = with_parts(part, lambda each: renamed(each, prefix))
    match inner:
        case Named(name, _, elements):
            own = None if elements is None else (prefix + elements[0], elements[1])
            return replace(inner, name=prefix + name, elements=own)
        case Join(_, conditions):
            return replace(
                inner, conditions=tuple(_renamed_condition(each, prefix) for each in conditions)
            )
        case Absence():
            return replace(
                inner, conditions=tuple(_renamed_related(each, prefix) for each in inner.conditions)
            )
        case _:
            return inner


def _renamed_condition(condition: JoinCondition, prefix: str) -> JoinCondition:
    return _renamed_related(condition, prefix) if isinstance(condition, Related) else condition


def _renamed_related(condition: Related, prefix: str) -> Related:
    return replace(
        condition,
        left=_renamed_side(condition.left, prefix),
        right=_renamed_side(condition.right, prefix),
    )


def _renamed_side(side: PartAttribute, prefix: str) -> PartAttribute:
    return replace(side, name=prefix + side.name)
