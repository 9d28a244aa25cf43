"""Simpler conditions of the same meaning: NOT on predicates only, flat groups, cheap tests first.

De Morgan's laws hold in Kleene logic too. AND inside AND and OR inside OR become one group; a group
of one becomes its operand. An operand that occurs twice in one group is kept once; `p OR NOT p`
stays: it is UNKNOWN without p. Cheap and decisive tests come first (paper P2.2 step 1; spec 4.3
steps 3 and 4), which never changes a result.
"""

from __future__ import annotations

from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Computed,
    Like,
    Not,
    OneOf,
    PlaceIs,
    Predicate,
)


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
