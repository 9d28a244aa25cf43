"""An operand that occurs twice in one AND or OR group is kept once. `p OR NOT p` stays: it is
UNKNOWN without p.
"""

from __future__ import annotations

from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode


def drop_repeats(node: BooleanNode) -> BooleanNode:
    """Return the same condition with each operand of a group once, at its first place."""
    if not isinstance(node, AllOf | AnyOf):
        return node
    operands = tuple(dict.fromkeys(map(drop_repeats, node.operands)))
    return operands[0] if len(operands) == 1 else type(node)(operands)
