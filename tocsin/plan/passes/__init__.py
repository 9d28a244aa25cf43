"""The passes that prepare a plan, each named by its effect.

Begin with `prepared` in this file, which makes a plan ready for an engine without a change of its
meaning. `simplify.py` makes expressions plain, puts cheap tests first, moves regions into atoms and
narrows states. Called elsewhere: `settings.py` applies settings, `contradictions.py` finds
conditions that are never TRUE.

Imports: `plan.nodes`, `plan.semantics`, `values`.
Test a change with: `tests/plan/test_passes.py`, `tests/plan/test_fold_regions.py`,
`tests/plan/test_contradictions.py`.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.atoms import BooleanNode, Condition
from tocsin.plan.nodes.composites import Part, Plan
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.passes.simplify import (
    drop_repeats,
    flatten,
    fold_regions,
    fold_states,
    order_operands,
    push_not_down,
)

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
