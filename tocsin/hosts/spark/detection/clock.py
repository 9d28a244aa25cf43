"""The clock of a stream: the highest end seen, minus the lateness. On an idle stream it runs on,
where that is wanted.

While events come, they alone move the clock. Where an `idle` time is given and nothing has come for
that long, the clock goes on from the highest end at the pace of processing time: from where the
stream stood, not from what the wall says, so that a replay of last year's events does not jump to
this year.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.values.time import Duration, Instant

Millis = int
"""Processing time of a micro-batch, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How late an event may be, and after how long without events the clock runs on; None for
    never.
    """

    lateness: Duration
    idle: Duration | None = None


@dataclass(slots=True)
class StreamClock:
    """`newest` is where the clock stands, `arrived` when events came last, `counted` up to when it
    has run on.
    """

    pace: Pace
    newest: Instant | None = None
    arrived: Millis = 0
    counted: Millis = 0

    @property
    def watermark(self) -> Instant | None:
        """No event that ends before this is expected; None before the first event."""
        return None if self.newest is None else self.newest - self.pace.lateness

    def saw(self, newest: Instant | None, now: Millis) -> None:
        """Events came; the highest end among them was `newest`."""
        if newest is not None and (self.newest is None or newest > self.newest):
            self.newest = newest
        self.arrived = self.counted = now

    def pass_by(self, end: Instant) -> None:
        """The watermark moves beyond an instant, before its time."""
        self.newest = max(end + self.pace.lateness + 1, end if self.newest is None else self.newest)

    def run_on(self, now: Millis) -> None:
        """Nothing came by `now`; an idle clock catches up with the time that has passed."""
        if self.pace.idle is None or self.newest is None or self.idle_from > now:
            return
        self.newest += (now - self.counted) * 1000
        self.counted = now

    @property
    def idle_from(self) -> Millis:
        """When the clock begins to run on if nothing comes until then."""
        return self.arrived + -(-(self.pace.idle or 0) // 1000)

    def due(self, wanted: Instant | None) -> Millis | None:
        """The processing time at which the watermark of an idle stream has passed an instant; None
        for never.
        """
        if self.pace.idle is None or self.watermark is None or wanted is None:
            return None
        missing = max(0, wanted + 1 - self.watermark)
        return max(self.idle_from, self.counted + -(-missing // 1000))
