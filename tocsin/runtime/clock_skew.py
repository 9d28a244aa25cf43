"""A wrong clock: an event too far ahead is a dead letter and moves no time, so that no other is
late.

Where events are live, the clock of the host says how late it is. Finite input has no such clock;
there the events before and after one in the input say it (decision 0036). Conditions on one event
need no order, and ring all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median_high

from tocsin.events.event import Event
from tocsin.values.time import Duration, Instant, parse_duration

DEFAULT_AHEAD = "1h"
"""How far beyond the clock of a live host an event may end."""

NEIGHBOURS = 20
"""How many events around one are asked where finite input leaps ahead."""


class Ahead:
    """Who ends too far beyond the clock, or the time that the owner told; None allows every
    time.
    """

    __slots__ = ("_allowed", "_clock", "_told")

    def __init__(self, allowed: str | None, clock: Callable[[], Instant]) -> None:
        self._allowed = None if allowed is None else parse_duration(allowed)
        self._clock = clock
        self._told: Instant | None = None

    @property
    def allowed(self) -> Duration:
        """How far beyond the clock an event may end."""
        return self._allowed or 0

    def hear(self, now: Instant) -> None:
        """The owner of the host says what time it is."""
        self._told = now if self._told is None else max(now, self._told)

    def refuses(self, event: Event) -> bool:
        """Whether the event ends too far ahead; one without a time never does."""
        if event.interval is None:
            return False
        latest = self.latest()
        return latest is not None and event.interval.end > latest

    def latest(self) -> Instant | None:
        """The last end that is not too far ahead now; None where every time is allowed."""
        if self._allowed is None:
            return None
        now = self._clock()
        return self._allowed + (now if self._told is None else max(now, self._told))


def too_far_ahead(ends: Sequence[Instant], allowed: Duration) -> Iterator[int]:
    """The numbers of the ends, in the order of the input, that lie too far ahead of those around
    them.

    Such an end lies more than `allowed` beyond the newest of those before it that do not, and
    beyond the median of its neighbours: those that follow it and, where the input ends, those
    before. A pause that is longer is no wrong clock: what follows has paused too.
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
