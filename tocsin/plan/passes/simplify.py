"""Simpler conditions of the same meaning: flat groups, cheap tests first, regions in atoms.

NOT is on predicates only.

De Morgan's laws hold in Kleene logic too. AND inside AND and OR inside OR become one group; a group
of one becomes its operand. An operand that occurs twice in one group is kept once; `p OR NOT p`
stays: it is UNKNOWN without p. Cheap and decisive tests come first (paper P2.2 step 1; spec 4.3
steps 3 and 4), which never changes a result.

Push-down of conditions to atoms: of regions, and of a part to its state.

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

from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Computed,
    Condition,
    Like,
    Not,
    OneOf,
    PlaceIs,
    Predicate,
)
from tocsin.plan.nodes.composites import AtRegion, Change, Either, Named, Only, Part, parts_of
from tocsin.plan.nodes.rewriting import with_parts


def push_not_down(node: BooleanNode) -> BooleanNode:
    """Return the same condition with every negation on a predicate."""
    return _pushed(node, negated=False)


def _pushed(node: BooleanNode, *, negated: bool) -> BooleanNode:
    match node:
        case Not(operand):
            return _pushed(operand, negated=not negated)
        case AllOf(operands) | AnyOf(operands):
            keeps = isinstance(node, AllOf) != negated
            return (AllOf if keeps else AnyOf)(
                tuple(_pushed(operand, negated=negated) for operand in operands)
            )
        case _:
            return Not(node) if negated else node


def flatten(node: BooleanNode) -> BooleanNode:
    """Return the same condition without AND in AND and OR in OR."""
    if not isinstance(node, AllOf | AnyOf):
        return node
    group = type(node)
    operands: list[BooleanNode] = []
    for operand in map(flatten, node.operands):
        operands += operand.operands if isinstance(operand, group) else (operand,)
    return operands[0] if len(operands) == 1 else group(tuple(operands))


def drop_repeats(node: BooleanNode) -> BooleanNode:
    """Return the same condition with each operand of a group once, at its first place."""
    if not isinstance(node, AllOf | AnyOf):
        return node
    operands = tuple(dict.fromkeys(map(drop_repeats, node.operands)))
    return operands[0] if len(operands) == 1 else type(node)(operands)


def order_operands(node: BooleanNode) -> BooleanNode:
    """Return the condition with AND groups stably sorted by (cost, kind), OR groups by (rank,
    cost).
    """
    match node:
        case AllOf(operands):
            return AllOf(
                tuple(sorted(map(order_operands, operands), key=lambda o: (cost(o), _kind(o))))
            )
        case AnyOf(operands):
            return AnyOf(
                tuple(sorted(map(order_operands, operands), key=lambda o: (_rank(o), cost(o))))
            )
        case _:
            return node


def cost(node: BooleanNode) -> int:
    """Return the cost class; a group has its highest.

    1: comparisons and IS NULL; 2: LIKE, BETWEEN and IN; 3: computed conditions and places.
    """
    match node:
        case Not(operand):
            return cost(operand)
        case AllOf(operands) | AnyOf(operands):
            return max(map(cost, operands), default=1)
        case _:
            return _predicate_cost(node)


def _predicate_cost(predicate: Predicate) -> int:
    match predicate:
        case Like() | Between() | OneOf():
            return 2
        case Computed() | PlaceIs():
            return 3
        case _:
            return 1


def _kind(node: BooleanNode) -> int:
    """Rank in an AND group: negated literal, plain literal, group."""
    return 0 if isinstance(node, Not) else 2 if isinstance(node, AllOf | AnyOf) else 1


def _rank(node: BooleanNode) -> int:
    """Rank in an OR group: negated literal, AND group, plain literal."""
    return 0 if isinstance(node, Not) else 1 if isinstance(node, AllOf | AnyOf) else 2


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
