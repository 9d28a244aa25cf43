"""A state is asked of the events that it is a state of, and of no others: a condition beside a
condition becomes one.

Where only `temperature > 8` of a reading is watched, every event that has a temperature would be
found by the index, for nothing.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.atoms import AllOf, BooleanNode, Condition
from tocsin.plan.nodes.composites import Change, Named, Only, Part
from tocsin.plan.nodes.rewriting import with_parts


def fold_states(part: Part) -> Part:
    """The same pattern, its states narrowed to the events of the parts that are watched."""
    changed = with_parts(part, fold_states)
    if not isinstance(changed, Change) or not isinstance(changed.state, Condition):
        return changed
    watched = _condition_of(changed.part)
    if watched is None:
        return changed
    return replace(changed, state=Condition(AllOf((watched, changed.state.expression))))


def _condition_of(part: Part) -> BooleanNode | None:
    """What every event of the part meets."""
    if isinstance(part, Named | Only | Change):
        return _condition_of(part.part)
    return part.expression if isinstance(part, Condition) else None
