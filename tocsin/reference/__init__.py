"""The reference: what a plan means, written to be read, slow on purpose. It is the oracle of every other evaluator."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.errors import UnsupportedProblem
from tocsin.events.event import Event
from tocsin.events.match import Match, match_of_event
from tocsin.events.order import in_canonical_order
from tocsin.plan.atoms import AllOf, AnyOf, Atom, BooleanNode, Condition, Not, predicate_truth
from tocsin.plan.composites import Plan
from tocsin.values.truth import Truth, conjunction, disjunction, negation


def holds(atom: Atom, event: Event) -> bool:
    """Whether the event is an occurrence of the atom."""
    return truth_of(atom.expression, event) is Truth.TRUE


def truth_of(node: BooleanNode, event: Event) -> Truth:
    """The truth of a boolean expression by Kleene's tables, without short cuts."""
    match node:
        case Not(operand):
            return negation(truth_of(operand, event))
        case AllOf(operands):
            return conjunction(truth_of(operand, event) for operand in operands)
        case AnyOf(operands):
            return disjunction(truth_of(operand, event) for operand in operands)
        case _:
            return predicate_truth(node, event)


def matches(subscription: str, plan: Plan, events: Iterable[Event]) -> list[Match]:
    """Every match of a plan over finite input, in output order; a repeated identity counts once."""
    if not isinstance(plan.pattern, Condition):
        raise UnsupportedProblem("composite patterns are not evaluated yet")
    pattern = plan.pattern
    found = [match_of_event(subscription, event) for event in in_canonical_order(events) if holds(pattern, event)]
    return sorted(found, key=lambda match: match.order)
