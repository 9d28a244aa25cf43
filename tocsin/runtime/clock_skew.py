"""Protection against wrong clocks: an event too far ahead is a dead letter and moves no watermark.

For live events the clock of the host is the reference. Finite input has no such clock; there the
events before and after an event in the input are (decision 0036). Atomic subscriptions need no
order and match such events all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median_high

from tocsin.events.event import Event
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


def too_far_ahead(ends: Sequence[Instant], allowed: Duration) -> Iterator[int]:
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
