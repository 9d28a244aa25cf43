"""Admission of arriving events: steps 1 and 2 of the order of a host.

A small batch is checked event by event. A large one is checked by columns: duplicates by one set
operation on all identities, late and too-far-ahead events by one comparison of all ends. Both ways
give the same result.

An event too far ahead is a dead letter and moves no watermark, so that a wrong clock does no harm.
For live events the clock of the host is the reference. Finite input has no such clock; there the
events before and after an event in the input are (decision 0036). Atomic subscriptions need no
order and match such events all the same.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from operator import attrgetter
from statistics import median_high
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.events.dead_letter import DeadLetter, late, too_far_ahead
from tocsin.events.event import MANY, UNTIMED, Ends, Event, ends_of, ordered_by
from tocsin.runtime.watermark import Watermark
from tocsin.values.time import Duration, Instant, parse_duration

DEFAULT_AHEAD = "1h"
"""The distance by which an event may end after the clock of a live host."""

NEIGHBOURS = 20
"""The number of neighbours in finite input that an event with a jump of time is compared with."""


def wall_clock() -> Instant:
    """Return the time of the system clock, in microseconds since 1970."""
    return time.time_ns() // 1000


class FutureLimit:
    """The limit on event ends: the clock, or a later time set by the owner, plus `allowed`.

    With `allowed` None every time is accepted.
    """

    __slots__ = ("_allowed", "_clock", "_owner_time")

    def __init__(self, allowed: str | None, clock: Callable[[], Instant]) -> None:
        self._allowed = None if allowed is None else parse_duration(allowed)
        self._clock = clock
        self._owner_time: Instant | None = None

    @property
    def allowed(self) -> Duration:
        """The distance by which an event may end after the clock; 0 if there is no limit."""
        return self._allowed or 0

    def advance_clock(self, now: Instant) -> None:
        """Advance the reference time to the owner's time; an earlier one is ignored."""
        self._owner_time = now if self._owner_time is None else max(now, self._owner_time)

    def refuses(self, event: Event) -> bool:
        """True if the event ends too far ahead; never for an event without a time."""
        if event.interval is None:
            return False
        latest = self.latest()
        return latest is not None and event.interval.end > latest

    def latest(self) -> Instant | None:
        """Return the latest end accepted now, or None if every time is accepted."""
        if self._allowed is None:
            return None
        now = self._clock()
        return self._allowed + (now if self._owner_time is None else max(now, self._owner_time))


def find_too_far_ahead(ends: Sequence[Instant], allowed: Duration) -> Iterator[int]:
    """Yield the positions, in input order, of the ends that are too far ahead of those around them.

    Such an end lies more than `allowed` beyond the newest accepted end before it, and more than
    `allowed` beyond the median of its neighbours: the ends that follow it and, near the end of the
    input, those before it. A long pause is not a wrong clock: the events after it have jumped too.
    """
    newest: Instant | None = None
    for number, end in enumerate(ends):
        if newest is not None and end - allowed <= newest:
            newest = max(end, newest)
        elif _is_alone(ends, number, allowed):
            yield number
        else:
            newest = end if newest is None else max(end, newest)


def _is_alone(ends: Sequence[Instant], number: int, allowed: Duration) -> bool:
    following = ends[number + 1 : number + 1 + NEIGHBOURS]
    before = ends[max(0, number - NEIGHBOURS + len(following)) : number]
    around = [*following, *before]
    return bool(around) and median_high(around) < ends[number] - allowed


Identity = tuple[str, str]

_identity = attrgetter("source", "id")
_order = attrgetter("order")

_Flags = npt.NDArray[np.bool_]

_FOREVER = 2**61
"""A span in microseconds beyond all instants; small enough that int64 sums do not overflow."""


@dataclass(slots=True)
class AdmissionResult:
    """The events of one batch after admission.

    `events` holds all but the duplicates, in canonical order. The late and too-far-ahead ones among
    them have a dead letter, keyed by their position in the batch, and reach no composite. `oldest`
    is the lowest end of the events that are in time, or None.
    """

    events: list[Event]
    letters: list[tuple[int, DeadLetter]] = field(default_factory=list)
    duplicates: int = 0
    late: int = 0
    too_far_ahead: int = 0
    oldest: Instant | None = None


class Doorkeeper:
    """Filter for arriving events: drops duplicates, marks late and too-far-ahead ones.

    A duplicate has the identity of one of the last `remember` events served, or of an event that is
    `waiting`.
    """

    __slots__ = (
        "_ahead",
        "_fresh",
        "_in_order",
        "_remember",
        "_seen",
        "_waiting",
        "_watermark",
        "excluded_from_composites",
    )

    def __init__(
        self, watermark: Watermark, ahead: FutureLimit, waiting: Set[Identity], remember: int
    ) -> None:
        self.excluded_from_composites: set[Identity] = set()
        """Identities of the events of the last batch that are late or too far ahead."""
        self._watermark = watermark
        self._ahead = ahead
        self._waiting = waiting
        self._remember = remember
        self._seen: set[Identity] = set()
        self._in_order: deque[Identity] = deque()  # identities seen, the oldest first
        self._fresh: dict[Identity, None] = {}

    def admit(self, events: Sequence[Event]) -> AdmissionResult:
        """Check a batch and return its events to serve; the watermark advances."""
        self._fresh.clear()
        self.excluded_from_composites.clear()
        if len(events) < MANY:
            return self._judge_each(events)
        return self._judge_all(events)

    def seen(self) -> list[Identity]:
        """Return the identities that count as seen, the oldest first."""
        return list(self._in_order)

    def note_seen(self, identities: Iterable[Identity]) -> None:
        """Count the given identities as seen from now on."""
        new = [each for each in dict.fromkeys(identities) if each not in self._seen]
        self._seen.update(new)
        self._in_order.extend(new)

    def forget_seen(self, identities: Iterable[Identity]) -> None:
        """Stop counting the given identities as seen, so that these events are served again."""
        gone = self._seen.intersection(identities)
        if gone:
            self._seen -= gone
            self._in_order = deque(each for each in self._in_order if each not in gone)

    def note_unserved(self, events: Iterable[Event]) -> None:
        """Take back events that could not be served for any subscription: a retry is not a
        duplicate.
        """
        for event in events:
            self._fresh.pop(event.identity, None)

    def remember_served(self) -> None:
        """Count the events of the last batch as seen; forget the oldest beyond `remember`."""
        self._seen.update(self._fresh)
        self._in_order.extend(self._fresh)
        excess = len(self._in_order) - self._remember
        if excess > 0:
            oldest = [self._in_order.popleft() for _ in range(excess)]
            self._seen.difference_update(oldest)

    def _judge_each(self, events: Iterable[Event]) -> AdmissionResult:
        admitted = AdmissionResult([])
        for number, event in enumerate(events):
            if self._is_duplicate(event.identity):
                admitted.duplicates += 1
                continue
            admitted.events.append(event)
            if self._ahead.refuses(event):
                self._exclude([(number, event)], admitted, are_late=False)
            elif self._watermark.is_late(event):
                self._exclude([(number, event)], admitted, are_late=True)
            elif event.interval is not None:
                end = event.interval.end
                admitted.oldest = end if admitted.oldest is None else min(end, admitted.oldest)
        admitted.events.sort(key=_order)
        return admitted

    def _is_duplicate(self, identity: Identity) -> bool:
        """True if the identity was seen or is waiting; otherwise note it for this batch."""
        if identity in self._seen or identity in self._fresh or identity in self._waiting:
            return True
        self._fresh[identity] = None
        return False

    def _judge_all(self, given: Sequence[Event]) -> AdmissionResult:
        events, numbers = self._without_duplicates(given)
        admitted = AdmissionResult(events, duplicates=len(given) - len(events))
        ends = ends_of(events)
        timed = np.flatnonzero(ends != UNTIMED)
        beyond = self._are_beyond(ends[timed])
        self._exclude(_chosen(events, numbers, timed[beyond]), admitted, are_late=False)
        timed = timed[~beyond]
        are_late = self._move_on(ends[timed])
        self._exclude(_chosen(events, numbers, timed[are_late]), admitted, are_late=True)
        if not are_late.all():
            admitted.oldest = int(ends[timed[~are_late]].min())
        admitted.letters.sort(key=lambda each: each[0])
        admitted.events = ordered_by(events, ends)
        return admitted

    def _without_duplicates(self, events: Sequence[Event]) -> tuple[list[Event], Sequence[int]]:
        """Return the events that are not duplicates, and the position of each in the batch."""
        fresh: dict[Identity, None] = dict.fromkeys(map(_identity, events))
        if (
            len(fresh) == len(events)
            and self._waiting.isdisjoint(fresh)
            and self._seen.isdisjoint(fresh)
        ):
            self._fresh = fresh
            return list(events), range(len(events))
        new = [
            (number, event)
            for number, event in enumerate(events)
            if not self._is_duplicate(event.identity)
        ]
        return [event for _, event in new], [number for number, _ in new]

    def _are_beyond(self, ends: Ends) -> _Flags:
        latest = self._ahead.latest()
        return np.zeros(len(ends), np.bool_) if latest is None else ends > min(latest, _FOREVER)

    def _move_on(self, ends: Ends) -> _Flags:
        """Return a flag for each end that is behind the watermark, and advance the watermark.

        The ends are judged in the order given, each against the watermark that those before it have
        set.
        """
        watermark, are_late = self._watermark, np.zeros(len(ends), np.bool_)
        mark, lateness = watermark.instant, watermark.lateness
        if lateness is None or not len(ends):
            return are_late
        if mark is not None:
            are_late |= ends < max(mark, UNTIMED)
        are_late[1:] |= ends[1:] < np.maximum.accumulate(ends)[:-1] - min(lateness, _FOREVER)
        watermark.advance_to(int(ends.max()))
        return are_late

    def _exclude(
        self, chosen: Collection[tuple[int, Event]], admitted: AdmissionResult, *, are_late: bool
    ) -> None:
        """Exclude events from composites, and add a dead letter for each."""
        for number, event in chosen:
            self.excluded_from_composites.add(event.identity)
            letter = late(event) if are_late else too_far_ahead(event, self._ahead.allowed)
            admitted.letters.append((number, letter))
        if are_late:
            admitted.late += len(chosen)
        else:
            admitted.too_far_ahead += len(chosen)


def _chosen(
    events: Sequence[Event], numbers: Sequence[int], places: npt.NDArray[Any]
) -> list[tuple[int, Event]]:
    return [(numbers[place], events[place]) for place in places.tolist()]
