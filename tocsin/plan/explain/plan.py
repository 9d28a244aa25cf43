"""A plan in words: its tree, the order of evaluation, its cost and the bound of its state.

Beside it the composite modes of the E-XML-QL paper (definition 2, figure 3), and warnings for parts
that wait for the default horizon (decision 0007): legal, and perhaps not meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.errors import MeaningProblem
from tocsin.plan.explain.atoms import atom_lines, path_text, selector_text
from tocsin.plan.explain.composites import part_lines, state_lines
from tocsin.plan.explain.exmlql import construct_text
from tocsin.plan.explain.phrases import short_text
from tocsin.plan.nodes.atoms import Atom, Condition, predicates_of
from tocsin.plan.nodes.composites import (
    Absence,
    Gathered,
    Join,
    Named,
    Part,
    Plan,
    Policy,
    atoms_of,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.plan.semantics.partitioning import PartitionKey, partition_key_of_plan
from tocsin.plan.xml.construction import Construct
from tocsin.values.html import preformat
from tocsin.values.time import Duration, format_duration

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


_MODES = {
    (False, False): ("forward", "forwarding", "the matched event itself"),
    (False, True): ("trigger", "triggering", "an event that several others bring about"),
    (True, False): ("split", "splitting", "new events out of one"),
    (True, True): ("aggregate", "aggregating", "new events out of several"),
}
"""Modes by two facts: the plan constructs documents, and the plan is about several events."""


def mode_lines(plan: Plan) -> Iterator[str]:
    """Yield the mode with its output, the states of a subscription, and its construction."""
    builds = isinstance(plan.output, Construct)
    name, state, what = _MODES[builds, not isinstance(plan.pattern, Atom)]
    yield f"mode           {name}: {what}"
    yield f"states         detecting, on a detection {state}, then detecting again"
    if isinstance(plan.output, Construct):
        yield f"builds         {construct_text(plan.output)}"


DEFAULT_HORIZON_USED = "DefaultHorizon"


def horizon_warnings(pattern: Part, horizon: Duration) -> Iterator[MeaningProblem]:
    """Yield one warning for every join or absence that only the horizon bounds."""
    for owner, slots in _endless(pattern).items():
        parts = " and ".join(dict.fromkeys(short_text(parts_of(owner)[slot]) for slot in slots))
        until = format_duration(horizon)
        message = f"only the default horizon bounds how long {parts} is waited for or kept: {until}"
        hint = (
            f'give it a window, or write "horizon": "10m" beside the expression; "{until}" says'
            " that it is meant"
        )
        yield MeaningProblem(message, code=DEFAULT_HORIZON_USED, hint=hint)


def _endless(pattern: Part) -> Mapping[Part, list[int]]:
    found: dict[Part, list[int]] = {}
    for bound in bounds_of(pattern):
        if bound.lifetime is None and not _is_about_the_same(bound.owner):
            slots = found.setdefault(bound.owner, [])
            slots += [] if bound.slot in slots else [bound.slot]
    return found


def _is_about_the_same(owner: Part) -> bool:
    """True if a join is of conditions on the same named parts: one of them bounds the wait, or all
    hold at once.
    """
    if not isinstance(owner, Join):
        return False
    names = [
        frozenset(each.name for each in parts_of(part) if isinstance(each, Named))
        for part in owner.parts
    ]
    joined = [
        isinstance(part, Join) and len(parts_of(part)) == len(named)
        for part, named in zip(owner.parts, names, strict=True)
    ]
    return all(joined) and len(set(names)) == 1
