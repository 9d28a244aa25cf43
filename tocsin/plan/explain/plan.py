"""A plan in words: its tree, the order of evaluation, its cost and the bound of its state."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.plan.explain.atoms import atom_lines
from tocsin.plan.explain.composites import part_lines, state_lines
from tocsin.plan.explain.conditions import path_text, selector_text
from tocsin.plan.nodes.atoms import Atom, Condition, predicates_of
from tocsin.plan.nodes.composites import (
    Absence,
    Gathered,
    Join,
    Part,
    Plan,
    Policy,
    atoms_of,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.plan.semantics.partitioning import PartitionKey, partition_key_of_plan
from tocsin.values.html import preformat

_DEFAULT_POLICY = Policy.DEFERRED.value


def plan_lines(plan: Plan, sources: Sources = NO_SOURCES) -> Iterator[str]:
    """Yield the plan as an indented tree, in the source texts of its parts."""
    if isinstance(plan.pattern, Atom):
        yield from atom_lines(plan.pattern)
    else:
        yield from part_lines(plan.pattern, sources)


def summary_lines(plan: Plan, sources: Sources = NO_SOURCES) -> Iterator[str]:
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
    if policies := _policies(pattern):
        yield f"policy         {', '.join(policies)}"
    yield f"partition key  {_partition_key_text(partition_key_of_plan(plan))}"
    title = "state bound    "
    for line in state_lines(pattern, sources):
        yield title + line
        title = " " * len(title)


def _partition_key_text(key: PartitionKey) -> str:
    """Return the attributes by which a plan can be partitioned, or the reason why it cannot."""
    if not key.by:
        return f"none: {key.why_not}"
    return f"{' and '.join(map(path_text, key.by))} (runs on all shards)"


def _policies(part: Part) -> list[str]:
    """Return the policies of operators in words; the default one is not among them."""
    own = part.policy.value if isinstance(part, Join | Absence | Gathered) else ""
    inner = (each for below in parts_of(part) for each in _policies(below))
    return [each for each in dict.fromkeys((own, *inner)) if each not in ("", _DEFAULT_POLICY)]


def html(plan: Plan) -> str:
    """Return a plan for a notebook."""
    return preformat([*plan_lines(plan), "", *summary_lines(plan)])
