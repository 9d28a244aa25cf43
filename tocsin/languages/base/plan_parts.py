"""Parts of a plan with other names, with keys, and in Allen relations.

Renaming gives each use of a definition names of its own; equal parts stay equal. A key partitions
all operators of a pattern, and all its events have one. Seven Allen relations are tables; the
others are complements or have their sides exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from tocsin.plan.nodes.composites import (
    HIDDEN,
    Absence,
    Change,
    End,
    EveryWindow,
    FixedWindow,
    Fulfilling,
    Gathered,
    Join,
    JoinCondition,
    Key,
    Keyed,
    Moment,
    Named,
    NamedCondition,
    Near,
    Only,
    Part,
    PartAttribute,
    Precedes,
    Related,
    Sliding,
    Stands,
)
from tocsin.plan.nodes.composites import Change as StateChange
from tocsin.plan.nodes.expressions import Apart, Attribute, Call, Expression, Lasts, Satisfies
from tocsin.plan.nodes.rewriting import with_parts


def prefix_names(part: Part, prefix: str) -> Part:
    """Return the part with the prefix before every name in it; hidden names stay hidden."""
    inner = with_parts(part, lambda each: prefix_names(each, prefix))
    match inner:
        case Named(name, _, elements):
            own = None if elements is None else (prefix + elements[0], elements[1])
            return replace(inner, name=_name(name, prefix), elements=own)
        case Join(_, conditions):
            changed = tuple(_condition(each, prefix) for each in conditions)
            return replace(inner, conditions=changed)
        case Absence() | Gathered():
            return replace(inner, conditions=_all(inner.conditions, prefix))
        case Only(_, Fulfilling(asked)):
            return replace(inner, restriction=Fulfilling(_all(asked, prefix)))
        case Sliding() | StateChange() if inner.each:
            return replace(inner, each=prefix + inner.each)
        case _:
            return inner


def _name(name: str, prefix: str) -> str:
    return HIDDEN + prefix + name[1:] if name.startswith(HIDDEN) else prefix + name


def _all(conditions: tuple[NamedCondition, ...], prefix: str) -> tuple[NamedCondition, ...]:
    return tuple(_named(each, prefix) for each in conditions)


def _condition(condition: JoinCondition, prefix: str) -> JoinCondition:
    match condition:
        case Precedes() | Near() | Stands():
            return condition
        case _:
            return _named(condition, prefix)


def _named(condition: NamedCondition, prefix: str) -> NamedCondition:
    match condition:
        case Related(left, _, right):
            return replace(condition, left=_side(left, prefix), right=_side(right, prefix))
        case Satisfies(expression):
            return Satisfies(_expression(expression, prefix))
        case Apart(name, _, other):
            return replace(condition, name=_name(name, prefix), other=_name(other, prefix))
        case Lasts():
            return condition
        case _:
            assert_never(condition)


def _side(side: PartAttribute, prefix: str) -> PartAttribute:
    return replace(side, name=_name(side.name, prefix))


def _expression(expression: Expression, prefix: str) -> Expression:
    match expression:
        case Attribute((name, *rest)):
            return Attribute((_name(name, prefix), *rest))
        case Call(function, arguments):
            return Call(function, tuple(_expression(each, prefix) for each in arguments))
        case _:
            return expression


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


_B1, _F1, _B2, _F2 = (Moment(part, end) for part in (0, 1) for end in (End.START, End.FINISH))


def _same_moment(one: Moment, other: Moment) -> tuple[Precedes, Precedes]:
    return (Precedes(one, other, or_equal=True), Precedes(other, one, or_equal=True))


ORDER: Mapping[str, tuple[Precedes, ...]] = {
    "Equals": (*_same_moment(_F1, _F2), *_same_moment(_B1, _B2)),
    "Before": (Precedes(_F1, _B2),),
    "UnBefore": (Precedes(_B2, _F1, or_equal=True),),
    "Meets": _same_moment(_F1, _B2),
    "Overlaps": (Precedes(_F1, _F2), Precedes(_B2, _F1), Precedes(_B1, _B2)),
    "Starts": (Precedes(_F1, _F2), *_same_moment(_B1, _B2)),
    "Finishes": (*_same_moment(_F1, _F2), Precedes(_B2, _B1)),
    "During": (Precedes(_F1, _F2), Precedes(_B2, _B1)),
}
"""Order of starts and ends that each relation implies.

From it follows which part need not wait for which, and for what time. The other six complements are
alternatives, which imply no order.
"""


_INVERSES: Mapping[str, str] = {
    "After": "Before",
    "MetBy": "Meets",
    "OverlappedBy": "Overlaps",
    "StartedBy": "Starts",
    "FinishedBy": "Finishes",
    "Contains": "During",
}
"""Relations that are one of the seven with its sides exchanged."""


def one_of_seven(written: str) -> tuple[str, bool]:
    """Return a relation as one of the seven or its complement, and True if its sides swap.

    The paper writes `intBefore` for the same relation.
    """
    name = written.removeprefix("int")
    negated = "Un" if name.startswith("Un") else ""
    word = name.removeprefix("Un")
    return negated + _INVERSES.get(word, word), word in _INVERSES
