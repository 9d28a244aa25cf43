"""Passes over a plan, in order: each is named by its effect, and none changes the meaning of a
plan.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.atoms import BooleanNode, Condition
from tocsin.plan.nodes.composites import Part, Plan
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.passes.drop_repeats import drop_repeats
from tocsin.plan.passes.flatten import flatten
from tocsin.plan.passes.fold_regions import fold_regions
from tocsin.plan.passes.fold_states import fold_states
from tocsin.plan.passes.order_operands import order_operands
from tocsin.plan.passes.push_not_down import push_not_down

PASSES = (push_not_down, flatten, drop_repeats, order_operands)


def prepared(plan: Plan) -> Plan:
    """Return the plan for an engine.

    Regions are in atoms, states narrowed, negations on predicates only, groups flat, cheap tests
    first.
    """
    return replace(plan, pattern=_prepared_part(fold_states(fold_regions(plan.pattern))))


def prepared_expression(node: BooleanNode) -> BooleanNode:
    """Return one boolean expression after all passes."""
    for apply in PASSES:
        node = apply(node)
    return node


def _prepared_part(part: Part) -> Part:
    if isinstance(part, Condition):
        return Condition(prepared_expression(part.expression))
    return with_parts(part, _prepared_part)
