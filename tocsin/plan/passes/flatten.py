"""AND inside AND and OR inside OR become one group; a group of one becomes its operand."""

from __future__ import annotations

from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode


def flatten(node: BooleanNode) -> BooleanNode:
    """Return the same condition without AND in AND and OR in OR."""
    if not isinstance(node, AllOf | AnyOf):
        return node
    group = type(node)
    operands: list[BooleanNode] = []
    for operand in map(flatten, node.operands):
        operands += operand.operands if isinstance(operand, group) else (operand,)
    return operands[0] if len(operands) == 1 else group(tuple(operands))
