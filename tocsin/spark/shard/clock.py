"""The clock of a stream: a watermark that, on an idle stream, runs on where that is wanted.

While events come, they alone move the clock. Where an `idle` time is given and nothing has come for
that long, the clock goes on from the highest end at the pace of processing time: from where the
stream stood, not from what the wall says, so that a replay of last year's events does not jump to
this year.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.runtime.watermark import Watermark
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
class StreamClock(Watermark):
    """`arrived` is when events came last, `counted` up to when the clock has run on."""

    idle: Duration | None = None
    arrived: Millis = 0
    counted: Millis = 0

    @property
    def pace(self) -> Pace:
        """How the clock goes."""
        return Pace(self.lateness or 0, self.idle)

    @pace.setter
    def pace(self, pace: Pace) -> None:
        self.lateness, self.idle = pace.lateness, pace.idle

    def saw(self, newest: Instant | None, now: Millis) -> None:
        """Events came; the highest end among them was `newest`."""
        if newest is not None:
            self.advance_to(newest)
        self.arrived = self.counted = now

    def run_on(self, now: Millis) -> None:
        """Nothing came by `now`; an idle clock catches up with the time that has passed."""
        if self.idle is None or self.newest is None or self.idle_from > now:
            return
        self.newest += (now - self.counted) * 1000
        self.counted = now

    @property
    def idle_from(self) -> Millis:
        """When the clock begins to run on if nothing comes until then."""
        return self.arrived + -(-(self.idle or 0) // 1000)

    def due(self, wanted: Instant | None) -> Millis | None:
        """The processing time at which the watermark of an idle stream has passed an instant; None
        for never.
        """
        mark = self.instant
        if self.idle is None or mark is None or wanted is None:
            return None
        missing = max(0, wanted + 1 - mark)
        return max(self.idle_from, self.counted + -(-missing // 1000))
