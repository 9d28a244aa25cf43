"""Order and lateness, pure and shared by all hosts: the watermark, and who is behind it."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from tocsin.events.event import Event
from tocsin.values.time import Duration, Instant

Payload = TypeVar("Payload")

_Order = tuple[Instant, Instant, str, str]


@dataclass(slots=True)
class Watermark:
    """Highest end seen minus the lateness; before it no event is expected. Without lateness nothing
    is late.
    """

    lateness: Duration | None
    newest: Instant | None = None

    @property
    def instant(self) -> Instant | None:
        """Where the watermark stands, or None before the first event."""
        if self.newest is None or self.lateness is None:
            return None
        return self.newest - self.lateness

    def is_late(self, event: Event) -> bool:
        """Whether the event ends before the watermark, which moves on. An event without a time is
        never late.
        """
        if event.interval is None or self.lateness is None:
            return False
        mark = self.instant
        self.advance_to(event.interval.end)
        return mark is not None and event.interval.end < mark

    def advance_to(self, now: Instant) -> None:
        """The clock has reached `now`; going back is ignored."""
        if self.newest is None or now > self.newest:
            self.newest = now

    def pass_by(self, end: Instant) -> None:
        """The watermark moves beyond an instant, before its time."""
        self.advance_to(end + 1 + (self.lateness or 0))


_FEW = 16


class ReorderBuffer(Generic[Payload]):
    """Holds events until the watermark has passed their ends, then gives them out in canonical
    order.
    """

    __slots__ = ("_held", "_numbers", "identities")

    def __init__(self) -> None:
        self._held: list[tuple[_Order, int, Event, Payload]] = []
        self.identities: set[tuple[str, str]] = set()
        """Those of the events that are held."""
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._held)

    def add(self, event: Event, payload: Payload) -> None:
        """Holds an event together with what is known of it; one that is held already is left
        out.
        """
        identity = event.identity
        if identity not in self.identities:
            self.identities.add(identity)
            heapq.heappush(self._held, (event.order, next(self._numbers), event, payload))

    def first(self) -> Instant | None:
        """When the first event that is held ends."""
        return self._held[0][0][0] if self._held else None

    def end_of_excess(self, limit: int) -> Instant | None:
        """When the last of those ends that come first and are more than the limit; None where there
        are no more.
        """
        excess = len(self._held) - limit
        return heapq.nsmallest(excess, self._held)[-1][0][0] if excess > 0 else None

    def held(self) -> Iterator[tuple[Event, Payload]]:
        """All events that are held, in no order."""
        return ((event, payload) for _, _, event, payload in self._held)

    def release(self, watermark: Instant | None) -> list[tuple[Event, Payload]]:
        """Events that end before the watermark, in canonical order: no other can come before them.
        None for all.
        """
        held = self._held
        taken: list[tuple[_Order, int, Event, Payload]] = []
        while held and (watermark is None or held[0][0][0] < watermark):
            if len(taken) > _FEW + len(held) // _FEW:
                taken += self._release_many(watermark)
                break
            taken.append(heapq.heappop(held))
        released = [(event, payload) for _, _, event, payload in taken]
        self.identities.difference_update([event.identity for event, _ in released])
        return released

    def _release_many(self, watermark: Instant | None) -> list[tuple[_Order, int, Event, Payload]]:
        """Many are put in order at once: most came so, and what is in order is a heap as well."""
        held = self._held
        held.sort()
        cut = len(held) if watermark is None else bisect_left(held, watermark, key=_end)
        released = held[:cut]
        del held[:cut]
        return released


def _end(held: tuple[_Order, int, Event, object]) -> Instant:
    return held[0][0]
