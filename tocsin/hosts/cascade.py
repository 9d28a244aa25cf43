"""Constructions over finite input: what is built is matched again, until nothing new is built or the limit is reached.

The answer is that over the input and all that was built, so that it does not depend on when what was built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tocsin.events.constructed import HOP_LIMIT, constructed_events, hops_of
from tocsin.events.dead_letter import DeadLetter, too_many_hops
from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.plan.composites import Plan
from tocsin.plan.construction import Construct

Evaluate = Callable[[Sequence[Event]], list[Match]]
"""All matches over the input and some further events."""


def constructing(plans: Mapping[str, Plan]) -> frozenset[str]:
    """The subscriptions whose outputs are events again."""
    return frozenset(key for key, plan in plans.items() if isinstance(plan.output, Construct))


def cascaded(evaluate: Evaluate, builders: frozenset[str]) -> tuple[list[Match], list[DeadLetter]]:
    """The matches over the input and what is built from them, and what was built once too often."""
    matches = evaluate(())
    known: frozenset[tuple[str, str]] = frozenset()
    for _ in range(HOP_LIMIT if builders else 0):
        built = {
            event.identity: event
            for match in matches
            if match.subscription in builders
            for event in constructed_events(match)
        }
        if built.keys() == known:
            break
        known = frozenset(built)
        matches = evaluate(tuple(built.values()))
    over = [match for match in matches if match.subscription in builders and hops_of(match) > HOP_LIMIT]
    return matches, [too_many_hops(match.subscription, match.id) for match in over]
