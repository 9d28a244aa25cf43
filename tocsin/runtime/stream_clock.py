"""The clock of a stream: a watermark that can continue on an idle stream.

While events arrive, they alone advance the clock. If an `idle` time is given and none has arrived
for that long, the clock continues from the highest end at the pace of processing time: from the
stream's own time, not from the wall clock, so that a replay of last year's events does not jump to
this year.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.runtime.watermark import Watermark
from tocsin.values.time import Duration, Instant


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
