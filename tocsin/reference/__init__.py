"""The reference: what a plan means, written to be read, slow on purpose. It is the oracle of every other evaluator."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.errors import UnsupportedProblem
from tocsin.events.event import Event
from tocsin.events.match import Match, match_of_event
from tocsin.events.order import in_canonical_order
from tocsin.plan.atoms import Condition
from tocsin.plan.composites import Plan
from tocsin.reference.atoms import holds, truth_of

__all__ = ["holds", "matches", "truth_of"]


def matches(subscription: str, plan: Plan, events: Iterable[Event]) -> list[Match]:
    """Every match of a plan over finite input, in output order; a repeated identity counts once."""
    if not isinstance(plan.pattern, Condition):
        raise UnsupportedProblem("composite patterns are not evaluated yet")
    pattern = plan.pattern
    found = [match_of_event(subscription, event) for event in in_canonical_order(events) if holds(pattern, event)]
    return sorted(found, key=lambda match: match.order)
