"""Watermark, reorder buffer, clock of a stream, and pauses of finite input; for all hosts.

While events arrive, they alone advance the clock. If an `idle` time is given and none has arrived
for that long, the clock continues from the highest end at the pace of processing time: from the
stream's own time, not from the wall clock, so that a replay of last year's events does not jump to
this year.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Generic, TypeVar

from tocsin.events.event import Event
from tocsin.values.time import LAST_INSTANT, Duration, Instant

Payload = TypeVar("Payload")

_Order = tuple[Instant, Instant, str, str]


@dataclass(slots=True)
class Watermark:
    """The highest end seen minus the lateness; no event is expected before it.

    Without lateness no event is late.
    """

    lateness: Duration | None
    newest: Instant | None = None

    @property
    def instant(self) -> Instant | None:
        """The watermark, or None before the first event. It never passes the end of time."""
        if self.newest is None or self.lateness is None:
            return None
        return min(self.newest - self.lateness, LAST_INSTANT + 1)

    def is_late(self, event: Event) -> bool:
        """True if the event ends before the watermark; then advance the watermark by the event.

        An event without a time is never late.
        """
        if event.interval is None or self.lateness is None:
            return False
        mark = self.instant
        self.advance_to(event.interval.end)
        return mark is not None and event.interval.end < mark

    def advance_to(self, now: Instant) -> None:
        """Advance the highest end to `now`; an earlier instant is ignored."""
        if self.newest is None or now > self.newest:
            self.newest = now

    def force_past(self, end: Instant) -> None:
        """Force the watermark past an instant."""
        self.advance_to(end + 1 + (self.lateness or 0))


_Held = tuple[_Order, int, Event, Payload]

_MIN_EVENTS_TO_MERGE = 16
"""The batch size from which a batch is merged at once, not event by event."""


class ReorderBuffer(Generic[Payload]):
    """Events held until the watermark passes their ends, then released in canonical order.

    Events that arrive in order are appended to a row; others go to a heap. Most are released before
    their identities are needed, so those of the row are collected on demand.
    """

    __slots__ = ("_heap", "_identities", "_noted", "_numbers", "_row")

    def __init__(self) -> None:
        self._row: list[tuple[Event, Payload]] = []
        self._heap: list[_Held[Payload]] = []
        self._identities: set[tuple[str, str]] = set()
        self._noted = 0  # the first rows whose identities are noted
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._row) + len(self._heap)

    @property
    def identities(self) -> set[tuple[str, str]]:
        """The identities of the events held, always the same set object.

        A caller that keeps the set calls `note_identities` before each later read of it.
        """
        self.note_identities()
        return self._identities

    def note_identities(self) -> None:
        """Add the identities of new events of the row to the set."""
        if self._noted < len(self._row):
            self._identities.update(_identities(self._row[self._noted :]))
            self._noted = len(self._row)

    def add(self, event: Event, payload: Payload) -> None:
        """Hold an event with its payload; ignore one that is held already."""
        identity, identities = event.identity, self.identities
        if identity not in identities:
            identities.add(identity)
            heapq.heappush(self._heap, (event.order, next(self._numbers), event, payload))

    def add_all(self, given: list[tuple[Event, Payload]]) -> None:
        """Hold many events, which are in canonical order.

        Events of the row after the first new one are merged with the new ones, unless they
        outnumber these.
        """
        place = len(self._row)
        if given and self._row and _order(self._row[-1]) > _order(given[0]):
            place = bisect_left(self._row, _order(given[0]), key=_order)
        identities = set(_identities(given))
        if (
            len(given) < _MIN_EVENTS_TO_MERGE
            or len(self._row) - place > len(given)
            or len(identities) < len(given)
            or not self.identities.isdisjoint(identities)
        ):
            for event, payload in given:
                self.add(event, payload)
            return
        self._identities |= identities
        after = self._row[place:]
        self._row[place:] = sorted(after + given, key=_order) if after else given
        self._noted = len(self._row)

    def add_new(self, given: list[tuple[Event, Payload]]) -> None:
        """Hold many events in canonical order; none is held already, and none occurs twice."""
        if given and self._row and _order(self._row[-1]) > _order(given[0]):
            self.add_all(given)
        else:
            self._row += given

    def first(self) -> Instant | None:
        """Return the lowest end of the events held, or None."""
        firsts = [_end(each) for each in self._row[:1]]
        firsts += [order[0] for order, _, _, _ in self._heap[:1]]
        return min(firsts, default=None)

    def end_of_overflow(self, limit: int) -> Instant | None:
        """Return the end of the last event to release, in order of ends, to keep `limit` events.

        None if the limit is not exceeded.
        """
        excess = len(self) - limit
        return sorted(map(_end, self.held()))[excess - 1] if excess > 0 else None

    def held(self) -> Iterator[tuple[Event, Payload]]:
        """Yield all events held with their payloads, in no particular order."""
        yield from self._row
        yield from ((event, payload) for _, _, event, payload in self._heap)

    def release(self, watermark: Instant | None) -> list[tuple[Event, Payload]]:
        """Remove and return the events that end before the watermark, in canonical order; None for
        all.

        No event that arrives later can precede them.
        """
        row = self._row
        cut = len(row) if watermark is None else bisect_left(row, watermark, key=_end)
        released, between = row[:cut], self._release_between(watermark)
        del row[:cut]
        self._identities.difference_update(_identities(released[: self._noted] + between))
        self._noted = max(0, self._noted - cut)
        if between:
            return sorted(released + between, key=_order) if released else between
        return released

    def _release_between(self, watermark: Instant | None) -> list[tuple[Event, Payload]]:
        """Remove and return the events of the heap that end before the watermark, in order."""
        heap = self._heap
        taken: list[_Held[Payload]] = []
        while heap and (watermark is None or heap[0][0][0] < watermark):
            if len(taken) > _MIN_EVENTS_TO_MERGE + len(heap) // _MIN_EVENTS_TO_MERGE:
                taken += self._release_many(watermark)
                break
            taken.append(heapq.heappop(heap))
        return [(event, payload) for _, _, event, payload in taken]

    def _release_many(self, watermark: Instant | None) -> list[_Held[Payload]]:
        """Release many events of the heap by one sort: it is nearly sorted, and a sorted list is a
        heap.
        """
        heap = self._heap
        heap.sort()
        cut = len(heap) if watermark is None else bisect_left(heap, watermark, key=_end_between)
        released = heap[:cut]
        del heap[:cut]
        return released


def _identities(held: list[tuple[Event, Payload]]) -> list[tuple[str, str]]:
    return [(event.source, event.id) for event, _ in held]


def _order(held: tuple[Event, object]) -> _Order:
    return held[0].order


def _end(held: tuple[Event, object]) -> Instant:
    return held[0].order[0]


def _end_between(held: tuple[_Order, int, Event, object]) -> Instant:
    return held[0][0]


# Pauses of finite input, over which recurring windows are skipped in one step.

Span = tuple[Instant, Instant]
"""The lowest and the highest end of some events."""


def busy_spans(ends: Iterable[Instant], longest: Duration | None) -> Iterator[Span]:
    """Yield spans that cover all ends, without a pause longer than `longest` inside.

    With `longest` None it is one span.
    """
    return joined_spans(((end, end) for end in ends), longest)


def joined_spans(spans: Iterable[Span], longest: Duration | None) -> Iterator[Span]:
    """Yield the spans in time order, merged where the pause between them is not longer than
    `longest`.
    """
    first: Instant | None = None
    last: Instant | None = None
    for low, high in sorted(spans):
        if first is None or last is None:
            first, last = low, high
        elif longest is not None and low - last > longest:
            yield first, last
            first, last = low, high
        else:
            last = max(last, high)
    if first is not None and last is not None:
        yield first, last


def pauses(spans: Iterable[Span], longest: Duration | None) -> list[Span]:
    """Return the pauses between the merged spans: the end before each, and the end after it."""
    joined = list(joined_spans(spans, longest))
    return [(before[1], after[0]) for before, after in pairwise(joined)]


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """The allowed lateness, and the idle time until the clock continues; None for never."""

    lateness: Duration
    idle: Duration | None = None


@dataclass(slots=True)
class StreamClock(Watermark):
    """A watermark with an idle time.

    Processing time is counted in units of `tick` microseconds: Spark says milliseconds, and the
    state of its shards is stored in them. `arrived` is the time of the last events, `counted` the
    time up to which idle time was added.
    """

    idle: Duration | None = None
    tick: int = 1
    arrived: int = 0
    counted: int = 0

    @property
    def pace(self) -> ClockSettings:
        """Lateness and idle time."""
        return ClockSettings(self.lateness or 0, self.idle)

    @pace.setter
    def pace(self, pace: ClockSettings) -> None:
        self.lateness, self.idle = pace.lateness, pace.idle

    def note_events(self, now: int, newest: Instant | None = None) -> None:
        """Note the arrival of events; `newest` is the highest end, unless it was noted before."""
        if newest is not None:
            self.advance_to(newest)
        self.arrived = self.counted = now

    def run_on(self, now: int) -> None:
        """Advance an idle clock by the processing time that has passed; no event arrived at
        `now`.
        """
        if self.idle is None or self.newest is None or self.idle_from > now:
            return
        self.newest += (now - self.counted) * self.tick
        self.counted = now

    @property
    def idle_from(self) -> int:
        """The processing time at which the clock continues if no event arrives before."""
        return self.arrived + -(-(self.idle or 0) // self.tick)

    def due(self, wanted: Instant | None) -> int | None:
        """Return the processing time when an idle watermark passes an instant; None for never."""
        mark = self.instant
        if self.idle is None or mark is None or wanted is None:
            return None
        missing = max(0, wanted + 1 - mark)
        return max(self.idle_from, self.counted + -(-missing // self.tick))
