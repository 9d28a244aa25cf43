"""Push-down of conditions to atoms: of regions, and of a part to its state.

`Only` an event `AtRegion` becomes one condition of its atom. A region filters occurrences by their
place alone, so it may be tested before another restriction, on each alternative, and on a part
before it gets its name. Two limits keep the meaning: a name in several places is the same part in
all of them and stays as it is, and an occurrence of several events or of an absence has a place
only when it is complete.

A state is tested on the events of its own part only: their condition is added to the state's. With
`temperature > 8` alone as the state of a reading, the index would find every event that has a
temperature, for nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tocsin.plan.nodes.atoms import AllOf, BooleanNode, Condition, PlaceIs
from tocsin.plan.nodes.composites import AtRegion, Change, Either, Named, Only, Part, parts_of
from tocsin.plan.nodes.rewriting import with_parts


def fold_regions(pattern: Part) -> Part:
    """Return the same pattern with regions tested on single events, if they only concern these."""
    names = Counter(_names(pattern))
    once = frozenset(name for name, uses in names.items() if uses == 1)
    return _folded(pattern, once)


def _folded(part: Part, once: frozenset[str]) -> Part:
    changed = with_parts(part, lambda inner: _folded(inner, once))
    if isinstance(changed, Only) and isinstance(changed.restriction, AtRegion):
        return _with_region(changed.part, changed.restriction, once) or changed
    return changed


def _with_region(part: Part, at: AtRegion, once: frozenset[str]) -> Part | None:
    """Return the part with the region tested on its events; None if the whole is needed."""
    match part:
        case Condition(expression):
            return Condition(
                AllOf((expression, PlaceIs(at.relation, at.region, at.distance, at.metric)))
            )
        case Either(parts):
            asked = [_with_region(each, at, once) for each in parts]
            return (
                None if None in asked else Either(tuple(each for each in asked if each is not None))
            )
        case Named(name, inner) if name not in once:
            return None
        case Only(inner) | Named(_, inner):
            changed = _with_region(inner, at, once)
            return None if changed is None else replace(part, part=changed)
        case _:
            return None


def _names(part: Part) -> list[str]:
    own = [part.name] if isinstance(part, Named) else []
    return own + [name for inner in parts_of(part) for name in _names(inner)]


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
