"""How much may come of one event. Constructions multiply: each generation of what is built from one
origin is bounded.

The origin of what is built is the origin of the last event of its match in canonical order; a
generation is all that lies as many constructions behind its origin. One that is larger than the
limit, and than the first, is not published. It goes as a whole, so that it does not matter in which
order it was built: every host draws the same line.
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
"""So many events a generation may have in any case; what one event is split into at first may be
more.
"""

BUILDING_LIMIT = 2 * MAX_OUTPUT
"""After so many characters nothing more is built out of what was built from one origin."""

Key = TypeVar("Key")
Identity = tuple[str, str]
Built = tuple[Match, Sequence[Event]]
"""A match and the events that it constructs."""


@dataclass(slots=True)
class FanOut:
    """What has been built from which origin; of the newest `remember` events and origins."""

    remember: int = 100_000
    _origins: dict[Identity, Identity] = field(default_factory=dict)
    _sizes: dict[tuple[Identity, int], int] = field(default_factory=dict)
    _characters: dict[Identity, int] = field(default_factory=dict)

    def publish(self, built: Iterable[Built]) -> tuple[list[Event], list[DeadLetter]]:
        """Of all that is built at one time: the events to publish, and a dead letter for each
        generation too many.
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
        """Whether more may be built out of an event; always where nobody built it."""
        return (
            not hops_behind(event.id)
            or self._characters.get(self.origin_of(event.identity), 0) <= BUILDING_LIMIT
        )

    def note(self, event: Event, match: Match) -> None:
        """That a match was built out of an event."""
        if match.outputs and hops_behind(event.id):
            origin = self.origin_of(event.identity)
            _keep(self._characters, origin, sum(map(len, match.outputs)), self.remember)

    def origin_of(self, identity: Identity) -> Identity:
        """Return the event that came in, out of which an event was built; the event itself where it
        came in.
        """
        return self._origins.get(identity, identity)

    def snapshot(self) -> list[list[Any]]:
        """What it remembers, as plain data."""
        return [list(each.items()) for each in (self._origins, self._sizes, self._characters)]

    def restore(self, state: Sequence[Iterable[Any]]) -> None:
        """Takes over a snapshot."""
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
    """Adds to a count; where there are too many, the one that was begun first is forgotten."""
    counts[key] = counts.get(key, 0) + more
    if len(counts) > remember:
        del counts[next(iter(counts))]
