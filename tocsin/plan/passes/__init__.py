"""Passes over a plan, in order: each is named by its effect and none changes what a plan means."""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.atoms import BooleanNode, Condition
from tocsin.plan.composites import Absence, AfterWindow, BetweenWindow, Either, Join, Named, Only, Part, Plan, Window
from tocsin.plan.passes.drop_repeats import drop_repeats
from tocsin.plan.passes.flatten import flatten
from tocsin.plan.passes.order_operands import order_operands
from tocsin.plan.passes.push_not_down import push_not_down

PASSES = (push_not_down, flatten, drop_repeats, order_operands)


def prepared(plan: Plan) -> Plan:
    """The plan as engines want it: negations on predicates only, no nesting of like in like, cheap tests first."""
    return replace(plan, pattern=_prepared_part(plan.pattern))


def prepared_expression(node: BooleanNode) -> BooleanNode:
    """All passes over one boolean expression."""
    for apply in PASSES:
        node = apply(node)
    return node


def _prepared_part(part: Part) -> Part:
    match part:
        case Condition(expression):
            return Condition(prepared_expression(expression))
        case Join(parts) | Either(parts):
            return replace(part, parts=tuple(map(_prepared_part, parts)))
        case Only(inner) | Named(_, inner):
            return replace(part, part=_prepared_part(inner))
        case Absence(absent, window):
            return replace(part, part=_prepared_part(absent), window=_prepared_window(window))


def _prepared_window(window: Window) -> Window:
    match window:
        case AfterWindow(part):
            return replace(window, part=_prepared_part(part))
        case BetweenWindow(first, last):
            return BetweenWindow(_prepared_part(first), _prepared_part(last))
        case _:
            return window
