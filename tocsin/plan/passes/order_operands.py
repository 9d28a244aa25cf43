"""Cheap and decisive tests first (paper P2.2 step 1; spec 4.3 steps 3 and 4). Never changes a
result.
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
