"""Order and lateness, pure and shared by all hosts: the watermark, and who is behind it."""

from __future__ import annotations

from tocsin.events.event import Event
from tocsin.values.time import Duration, Instant


class Watermark:
    """Highest end seen minus the lateness; before it no event is expected. Without lateness nothing is late."""

    __slots__ = ("_lateness", "_newest")

    def __init__(self, lateness: Duration | None) -> None:
        self._lateness = lateness
        self._newest: Instant | None = None

    @property
    def instant(self) -> Instant | None:
        """Where the watermark stands, or None before the first event."""
        return None if self._newest is None or self._lateness is None else self._newest - self._lateness

    def is_late(self, event: Event) -> bool:
        """Whether the event ends before the watermark, which moves on. An event without a time is never late."""
        if event.interval is None or self._lateness is None:
            return False
        mark = self.instant
        self.advance_to(event.interval.end)
        return mark is not None and event.interval.end < mark

    def advance_to(self, now: Instant) -> None:
        """The clock has reached `now`; going back is ignored."""
        if self._newest is None or now > self._newest:
            self._newest = now
