"""Constructions over finite input: constructed events are matched again, until none is new.

The number of rounds is limited. The result is that over the input and all constructed events
together, so that it does not depend on the order of construction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tocsin.errors import Problem
from tocsin.events.dead_letter import DeadLetter, internal_error, invalid_output, too_many_hops
from tocsin.events.event import Event
from tocsin.events.matches.constructed import HOP_LIMIT, constructed_events, hops_of
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.xml.construction import Construct
from tocsin.runtime.fan_out import FanOut

Evaluate = Callable[[Sequence[Event], FanOut], list[Match]]
"""All matches over the input and further events, whose origins the `FanOut` knows."""


def constructing(plans: Mapping[str, Plan]) -> frozenset[str]:
    """Return the subscriptions whose outputs are published as events."""
    return frozenset(key for key, plan in plans.items() if isinstance(plan.output, Construct))


def republish_until_stable(
    evaluate: Evaluate, builders: frozenset[str]
) -> tuple[list[Match], list[DeadLetter]]:
    """Return the matches over the input and all constructed events, and the dead letters.

    A dead letter says that an output is over a limit or is not an event.
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
    """The matches of one round, the events published from their outputs, and the dead letters."""

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
        """Return the events that a match constructs; [] and a dead letter if it fails or is over a
        limit.
        """
        if hops_of(match) > HOP_LIMIT:
            self.letters.append(too_many_hops(match.subscription, match.id))
            return []
        try:
            return constructed_events(match)
        except Problem as problem:
            self.letters.append(invalid_output(match.subscription, match.id, problem))
        except Exception as error:
            self.letters.append(internal_error(error, match.members, match.subscription))
        return []
