"""A plan in words: its tree, the order of evaluation, its cost and the bound of its state."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.plan.explain.atoms import atom_lines
from tocsin.plan.explain.composites import part_lines, state_lines
from tocsin.plan.explain.conditions import path_text, selector_text
from tocsin.plan.nodes.atoms import Atom, Condition, predicates_of
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.semantics.partitioning import PartitionKey, partition_key_of_plan
from tocsin.values.html import preformat


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield the plan as an indented tree."""
    if isinstance(plan.pattern, Atom):
        yield from atom_lines(plan.pattern)
    else:
        yield from part_lines(plan.pattern)


def summary_lines(plan: Plan) -> Iterator[str]:
    """Yield the cost of a plan: predicates, order of evaluation, and the bound of its state."""
    pattern = plan.pattern
    if isinstance(pattern, Condition):
        yield f"evaluated as   {selector_text(pattern.expression)} #"
    conditions = [atom for atom in atoms_of(pattern) if isinstance(atom, Condition)]
    predicates = [each for atom in conditions for each in predicates_of(atom.expression)]
    if conditions:
        yield f"predicates     {len(predicates)}, {len(set(predicates))} distinct"
    if isinstance(pattern, Atom):
        yield "state bound    none: an atomic subscription looks at one event and keeps nothing"
        return
    yield f"atoms          {len(list(atoms_of(pattern)))}, {len(set(atoms_of(pattern)))} distinct"
    yield f"parted by      {_partition_key_text(partition_key_of_plan(plan))}"
    title = "state bound    "
    for line in state_lines(pattern):
        yield title + line
        title = " " * len(title)


def _partition_key_text(key: PartitionKey) -> str:
    """Return the attributes by which a plan can be partitioned, or the reason why it cannot."""
    if not key.by:
        return f"nothing: {key.why_not}"
    return f"{' and '.join(map(path_text, key.by))}: other values never meet"


def html(plan: Plan) -> str:
    """Return a plan for a notebook."""
    return preformat([*plan_lines(plan), "", *summary_lines(plan)])
