"""A state is tested on the events of its own part only: their condition is added to the state's.

With `temperature > 8` alone as the state of a reading, the index would find every event that has a
temperature, for nothing.
"""

from __future__ import annotations

from dataclasses import replace

from tocsin.plan.nodes.atoms import AllOf, BooleanNode, Condition
from tocsin.plan.nodes.composites import Change, Named, Only, Part
from tocsin.plan.nodes.rewriting import with_parts


def fold_states(part: Part) -> Part:
    """Return the same pattern with its states narrowed to the events of their parts."""
    changed = with_parts(part, fold_states)
    if not isinstance(changed, Change) or not isinstance(changed.state, Condition):
        return changed
    watched = _condition_of(changed.part)
    if watched is None:
        return changed
    return replace(changed, state=Condition(AllOf((watched, changed.state.expression))))


def _condition_of(part: Part) -> BooleanNode | None:
    """Return the condition that every event of the part meets; None if it is not a condition."""
    if isinstance(part, Named | Only | Change):
        return _condition_of(part.part)
    return part.expression if isinstance(part, Condition) else None
