"""Limits on the events constructed from one event: each generation of one origin is bounded.

The origin of a constructed event is the origin of the last event of its match in canonical order. A
generation holds the events that are equally many constructions away from their origin. One that is
larger than the limit, and larger than the first generation, is not published. It is dropped as a
whole, so that the order of construction does not matter: every host drops the same events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeVar

from tocsin.events.dead_letter import DeadLetter, too_many_built
from tocsin.events.event import Event
from tocsin.events.matches.constructed import hops_behind, hops_of
from tocsin.events.matches.match import Match
from tocsin.plan.xml.construction import MAX_OUTPUT

GENERATION_LIMIT = 1_000
"""The number of events that every generation may have; more if the first generation has more."""

BUILDING_LIMIT = 2 * MAX_OUTPUT
"""The number of characters of output from one origin after which further output is refused."""

Key = TypeVar("Key")
Identity = tuple[str, str]
Built = tuple[Match, Sequence[Event]]
"""A match and the events that it constructs."""


@dataclass(slots=True)
class FanOut:
    """The amounts built per origin, for the newest `remember` events and origins."""

    remember: int = 100_000
    _origins: dict[Identity, Identity] = field(default_factory=dict)
    _sizes: dict[tuple[Identity, int], int] = field(default_factory=dict)
    _characters: dict[Identity, int] = field(default_factory=dict)

    def publish(self, built: Iterable[Built]) -> tuple[list[Event], list[DeadLetter]]:
        """Return the events to publish, and a dead letter for each generation over the limit.

        All matches of one instant are given together.
        """
        events: list[Event] = []
        letters: list[DeadLetter] = []
        whole = sorted(built, key=lambda each: hops_of(each[0]))
        for hops, generation in groupby(whole, key=lambda each: hops_of(each[0])):
            for origin, group in self._by_origin(generation).items():
                if self._fits(origin, hops, sum(len(own) for _, own in group)):
                    events += self._noted(origin, group)
                else:
                    letters.append(
                        too_many_built(origin, [match.subscription for match, own in group if own])
                    )
        return events, letters

    def may_build(self, event: Event) -> bool:
        """True if more may be built from an event; always for one that was not constructed."""
        return (
            not hops_behind(event.id)
            or self._characters.get(self.origin_of(event.identity), 0) <= BUILDING_LIMIT
        )

    def note(self, event: Event, match: Match) -> None:
        """Count the output of a match towards the origin of its event."""
        if match.outputs and hops_behind(event.id):
            origin = self.origin_of(event.identity)
            _keep(self._characters, origin, sum(map(len, match.outputs)), self.remember)

    def origin_of(self, identity: Identity) -> Identity:
        """Return the received event that an event was constructed from, or the event itself."""
        return self._origins.get(identity, identity)

    def snapshot(self) -> list[list[Any]]:
        """Return the state as plain data."""
        return [list(each.items()) for each in (self._origins, self._sizes, self._characters)]

    def restore(self, state: Sequence[Iterable[Any]]) -> None:
        """Replace the state with a snapshot."""
        self._origins, self._sizes, self._characters = map(dict, state)

    def _by_origin(self, generation: Iterable[Built]) -> dict[Identity, list[Built]]:
        groups: dict[Identity, list[Built]] = {}
        for match, events in generation:
            last = (match.sources[-1], match.events[-1]) if match.events else ("", match.id)
            groups.setdefault(self.origin_of(last), []).append((match, events))
        return groups

    def _fits(self, origin: Identity, hops: int, count: int) -> bool:
        size = self._sizes.get((origin, hops), 0) + count
        if hops > 1 and size > max(GENERATION_LIMIT, self._sizes.get((origin, 1), 0)):
            return False
        _keep(self._sizes, (origin, hops), count, self.remember)
        return True

    def _noted(self, origin: Identity, group: Iterable[Built]) -> list[Event]:
        events = [event for _, own in group for event in own]
        for event in events:
            self._origins[event.identity] = origin
            if len(self._origins) > self.remember:
                del self._origins[next(iter(self._origins))]
        return events


def _keep(counts: dict[Key, int], key: Key, more: int, remember: int) -> None:
    """Add to a count; beyond `remember` counts the oldest is dropped."""
    counts[key] = counts.get(key, 0) + more
    if len(counts) > remember:
        del counts[next(iter(counts))]
