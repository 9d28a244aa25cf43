"""Constructions over finite input: what is built is matched again, until nothing new is built or
the limit is reached.

The answer is that over the input and all that was built, so that it does not depend on when what
was built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tocsin.errors import Problem
from tocsin.events.dead_letter import DeadLetter, internal_error, too_many_hops, unpublished
from tocsin.events.event import Event
from tocsin.events.matches.constructed import HOP_LIMIT, constructed_events, hops_of
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.fan_out import FanOut

Evaluate = Callable[[Sequence[Event], FanOut], list[Match]]
"""All matches over the input and some further events, of which it is known where they come from."""


def constructing(plans: Mapping[str, Plan]) -> frozenset[str]:
    """The subscriptions whose outputs are events again."""
    return frozenset(key for key, plan in plans.items() if isinstance(plan.output, Construct))


def cascaded(evaluate: Evaluate, builders: frozenset[str]) -> tuple[list[Match], list[DeadLetter]]:
    """The matches over the input and what is built from them, and what was built too often, too
    much or wrong.
    """
    step = _Step(evaluate((), FanOut()), builders)
    known: frozenset[tuple[str, str]] = frozenset()
    for _ in range(HOP_LIMIT):
        if step.published.keys() == known:
            break
        known = frozenset(step.published)
        step = _Step(evaluate(tuple(step.published.values()), step.fan_out), builders)
    return step.matches, step.letters


class _Step:
    """The matches so far, what is published of what they build, and what is not."""

    __slots__ = ("fan_out", "letters", "matches", "published")

    def __init__(self, matches: list[Match], builders: frozenset[str]) -> None:
        self.matches = matches
        self.letters: list[DeadLetter] = []
        self.fan_out = FanOut()
        building = [match for match in matches if match.subscription in builders]
        events, over = self.fan_out.publish((match, self._built(match)) for match in building)
        self.published = {event.identity: event for event in events}
        self.letters += over

    def _built(self, match: Match) -> list[Event]:
        """The events that a match constructs; none where that is over a limit, which is told."""
        if hops_of(match) > HOP_LIMIT:
            self.letters.append(too_many_hops(match.subscription, match.id))
            return []
        try:
            return constructed_events(match)
        except Problem as problem:
            self.letters.append(unpublished(match.subscription, match.id, problem))
        except Exception as error:
            self.letters.append(internal_error(error, match.members, match.subscription))
        return []
