"""Negation normal form: NOT is on predicates only. De Morgan's laws hold in Kleene logic too."""

from __future__ import annotations

from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not


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
