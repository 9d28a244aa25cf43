"""Plans rebuilt: the same part with other parts inside it, or with other names. Equal parts stay
equal.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.composites import (
    Absence,
    Change,
    Fulfilling,
    Gathered,
    Join,
    JoinCondition,
    Named,
    NamedCondition,
    Only,
    Part,
    PartAttribute,
    Related,
    Sliding,
    parts_of,
    variables_of,
)
from tocsin.plan.measures import Apart, Satisfies, with_prefix
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
        case Absence(_, _, asked) | Gathered(conditions=asked):
            return replace(inner, conditions=_renamed_all(asked, prefix))
        case Only(_, Fulfilling(asked)):
            return replace(inner, restriction=Fulfilling(_renamed_all(asked, prefix)))
        case Sliding(part, each=variable) | Change(part, each=variable) if (
            prefix + variable in variables_of(part)
        ):
            return replace(inner, each=prefix + variable)
        case _:
            return inner


def _renamed_condition(condition: JoinCondition, prefix: str) -> JoinCondition:
    if isinstance(condition, Related | Satisfies | Apart):
        return _renamed_named(condition, prefix)
    return condition


def _renamed_all(conditions: tuple[NamedCondition, ...], prefix: str) -> tuple[NamedCondition, ...]:
    return tuple(_renamed_named(each, prefix) for each in conditions)


def _renamed_named(condition: NamedCondition, prefix: str) -> NamedCondition:
    match condition:
        case Related():
            return _renamed_related(condition, prefix)
        case Satisfies(expression):
            return Satisfies(with_prefix(expression, prefix))
        case Apart(name, _, other):
            return replace(condition, name=prefix + name, other=prefix + other)
        case _:
            return condition


def _renamed_related(condition: Related, prefix: str) -> Related:
    return replace(
        condition,
        left=_renamed_side(condition.left, prefix),
        right=_renamed_side(condition.right, prefix),
    )


def _renamed_side(side: PartAttribute, prefix: str) -> PartAttribute:
    return replace(side, name=prefix + side.name)
