"""Lines of numbered occurrences: what a source has brought is kept once, and each node that waits
there remembers by number what it may still have.

A node that comes later begins behind what is there, so that it shares the line without seeing what
was before it came.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from tocsin.engine.detection.node import Node, Step
from tocsin.plan.occurrence import Occurrence
from tocsin.values.time import Duration, Instant

_ROOM = 64
_BEGINNING: Instant = -(2**63)
END_OF_TIME: Instant = 2**63


class NumberedLine(Node):
    """What a source has brought within `lifetime`, in the order of the ends."""

    __slots__ = (
        "_expires",
        "_room",
        "ends",
        "first",
        "items",
        "last_end",
        "lifetime",
        "shares",
        "total",
    )

    def __init__(self, source: Node, lifetime: Duration) -> None:
        super().__init__(source.part, [source])
        self.lifetime = lifetime
        self.items: list[Occurrence] = []
        self.ends: list[Instant] = []
        self.first = 0
        """The number of the first that is still there."""
        self.total = 0
        """The number that the next one gets."""
        self.last_end = _BEGINNING
        self.shares: list[Share] = []
        self._expires = False
        self._room = _ROOM

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Keeps the occurrence for all who wait."""
        end = occurrence.end
        self.items.append(occurrence)
        self.ends.append(end)
        self.total += 1
        self.last_end = end
        if not self._expires:
            self._expires = True
            step.expire(self, end + self.lifetime)
        if len(self.items) > self._room:
            self._make_room(end)

    def forget_before(self, now: Instant) -> None:
        """Drops what waited in vain."""
        self._drop(bisect_left(self.ends, now - self.lifetime))

    def next_expiry(self) -> Instant | None:
        """When the first that waits here has waited in vain."""
        self._expires = bool(self.ends)
        return self.ends[0] + self.lifetime if self.ends else None

    def _make_room(self, now: Instant) -> None:
        """Drops what has waited in vain or is used up for all; looked for whenever twice as many
        are there as were left the last time.
        """
        read = min((share.cursor for share in self.shares), default=self.total)
        self._drop(max(bisect_left(self.ends, now - self.lifetime), read - self.first))
        self._room = max(_ROOM, 2 * len(self.items))

    def _drop(self, count: int) -> None:
        if count > 0:
            del self.items[:count]
            del self.ends[:count]
            self.first += count


class Share:
    """What a node may still have of a line: what came since it did, without what it has used up.

    `earlier` is what it held before a restart, of which the line knows nothing.
    """

    __slots__ = ("_used", "cursor", "earlier", "line")

    def __init__(self, line: NumberedLine) -> None:
        self.line = line
        self.cursor = line.total
        """The first number that may still be had."""
        self.earlier: list[Occurrence] = []
        self._used: set[int] = set()
        line.shares.append(self)

    def __len__(self) -> int:
        self._skip()
        return len(self.earlier) + self.line.total - self.cursor - len(self._used)

    def __iter__(self) -> Iterator[Occurrence]:
        """All that may be had, oldest first."""
        return iter(self.between(_BEGINNING, END_OF_TIME))

    def between(self, low: Instant, high: Instant) -> Sequence[Occurrence]:
        """What may be had and ended in a span of time, oldest first."""
        line, used = self.line, self._used
        first, ends = line.first, line.ends
        start = max(bisect_left(ends, low), self.cursor - first)
        stop = len(ends) if high >= line.last_end else bisect_right(ends, high)
        found = line.items[start:stop]
        if used:
            numbers = range(first + start, first + stop)
            found = [
                each for number, each in zip(numbers, found, strict=True) if number not in used
            ]
        if self.earlier:
            found = [*(each for each in self.earlier if low <= each.end <= high), *found]
        return found

    def use_up(self, occurrence: Occurrence) -> None:
        """All that are the same occurrence may be had no longer: they stand side by side."""
        if self.earlier:
            self.earlier = [each for each in self.earlier if not each.is_same(occurrence)]
        line, end = self.line, occurrence.end
        ends, items = line.ends, line.items
        at = bisect_left(ends, end)
        while at < len(ends) and ends[at] == end:
            if items[at].is_same(occurrence) and line.first + at >= self.cursor:
                self._used.add(line.first + at)
            at += 1
        self._skip()

    def forget_before(self, now: Instant) -> None:
        """Drops what was held before a restart and has waited in vain; the line sees to the
        rest.
        """
        oldest = now - self.line.lifetime
        self.earlier = [each for each in self.earlier if each.end >= oldest]

    def _skip(self) -> None:
        """Moves the cursor past what is gone from the line or used up."""
        used, first = self._used, self.line.first
        if self.cursor < first:
            self.cursor = first
            used.difference_update([number for number in used if number < first])
        while self.cursor in used:
            used.remove(self.cursor)
            self.cursor += 1
