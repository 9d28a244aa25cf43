"""Counts of the last sixty minutes, in constant memory."""

from __future__ import annotations

from array import array

MINUTES = 60
"""Minutes remembered, the current one included."""


class MinuteCounts:
    """A count for each of the last MINUTES minutes; minutes are numbered from 1970. Counts an hour
    older than the newest are dropped.
    """

    __slots__ = ("_counts", "newest")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * MINUTES))
        self.newest = 0

    def add(self, minute: int, count: int) -> None:
        """Add to the count of a minute; ignored if it is too old."""
        self._move_to(minute)
        if minute > self.newest - MINUTES:
            self._counts[minute % MINUTES] += count

    def put(self, minute: int, value: int) -> None:
        """Set the value of a minute; ignored if it is too old."""
        self._move_to(minute)
        if minute > self.newest - MINUTES:
            self._counts[minute % MINUTES] = value

    def at(self, minute: int) -> int:
        """Return the count of a minute; 0 if it is too old or in the future."""
        is_known = self.newest - MINUTES < minute <= self.newest
        return self._counts[minute % MINUTES] if is_known else 0

    def last(self, minute: int) -> list[int]:
        """Return the counts of the sixty minutes up to this one, oldest first."""
        passed = minute - self.newest
        if passed < 0:
            return [self.at(each) for each in range(minute - MINUTES + 1, minute + 1)]
        if passed >= MINUTES:
            return [0] * MINUTES
        oldest = (self.newest + 1) % MINUTES
        known = self._counts[oldest:] + self._counts[:oldest]
        return known.tolist()[passed:] + [0] * passed

    def _move_to(self, minute: int) -> None:
        if minute - self.newest >= MINUTES:
            self._counts = array("Q", bytes(8 * MINUTES))
        else:
            for passed in range(self.newest + 1, minute + 1):
                self._counts[passed % MINUTES] = 0
        self.newest = max(minute, self.newest)
