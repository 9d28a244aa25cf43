"""An event that is only wanted at a region is an atom that says so: `Only` an event `AtRegion`
becomes one condition.

A region filters occurrences by their place alone, so it may be asked before another restriction, of
each alternative, and of a part before it gets its name. Two limits keep the meaning: a name that
stands in several places is one part in all of them and stays as it is, and what several events or
an absence bring about has a place only when it is whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tocsin.plan.nodes.atoms import AllOf, Condition, PlaceIs
from tocsin.plan.nodes.composites import AtRegion, Either, Named, Only, Part, parts_of
from tocsin.plan.nodes.rewriting import with_parts


def fold_regions(pattern: Part) -> Part:
    """The same pattern with regions asked of single events, where that is all they are asked of."""
    names = Counter(_names(pattern))
    once = frozenset(name for name, uses in names.items() if uses == 1)
    return _folded(pattern, once)


def _folded(part: Part, once: frozenset[str]) -> Part:
    changed = with_parts(part, lambda inner: _folded(inner, once))
    if isinstance(changed, Only) and isinstance(changed.restriction, AtRegion):
        return _asked(changed.part, changed.restriction, once) or changed
    return changed


def _asked(part: Part, at: AtRegion, once: frozenset[str]) -> Part | None:
    """The part with the region asked of its events; None where it must be asked of the whole."""
    match part:
        case Condition(expression):
            return Condition(
                AllOf((expression, PlaceIs(at.relation, at.region, at.distance, at.metric)))
            )
        case Either(parts):
            asked = [_asked(each, at, once) for each in parts]
            return (
                None if None in asked else Either(tuple(each for each in asked if each is not None))
            )
        case Named(name, inner) if name not in once:
            return None
        case Only(inner) | Named(_, inner):
            changed = _asked(inner, at, once)
            return None if changed is None else replace(part, part=changed)
        case _:
            return None


def _names(part: Part) -> list[str]:
    own = [part.name] if isinstance(part, Named) else []
    return own + [name for inner in parts_of(part) for name in _names(inner)]
