"""A part with other names, so that each use of a definition has names of its own. Equal parts stay
equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from tocsin.plan.nodes.composites import (
    HIDDEN,
    Absence,
    Fulfilling,
    Gathered,
    Join,
    JoinCondition,
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
from tocsin.plan.nodes.expression import Attribute, Call, Expression
from tocsin.plan.nodes.measures import Apart, Lasts, Satisfies
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
