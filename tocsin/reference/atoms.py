"""What an atom means: Kleene's tables, without short cuts."""

from __future__ import annotations

from tocsin.events.event import Event
from tocsin.plan.atoms import AllOf, AnyOf, Atom, BooleanNode, Not, predicate_truth
from tocsin.plan.rows import NOTHING_BOUND, Rows
from tocsin.values.truth import Truth, conjunction, disjunction, negation


def holds(atom: Atom, event: Event) -> bool:
    """Whether the event is an occurrence of the atom."""
    return truth_of(atom.expression, event) is Truth.TRUE


def rows_of(atom: Atom, event: Event) -> Rows:  # noqa: ARG001
    """What an occurrence of the atom binds."""
    return NOTHING_BOUND


def truth_of(node: BooleanNode, event: Event) -> Truth:
    """The truth of a boolean expression."""
    match node:
        case Not(operand):
            return negation(truth_of(operand, event))
        case AllOf(operands):
            return conjunction(truth_of(operand, event) for operand in operands)
        case AnyOf(operands):
            return disjunction(truth_of(operand, event) for operand in operands)
        case _:
            return predicate_truth(node, event)
