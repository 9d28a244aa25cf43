"""Occurrences that wait at a slot: parted by key, in the order of their ends, forgotten when their
time is up.

A queue holds the occurrences themselves and nothing made for it, so that one event may wait at a
thousand places for little more than a thousand references. What is used up before its time leaves a
mark in the line of expiry; marks never outnumber by far what lives.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from operator import attrgetter

from tocsin.plan.bindings import Rows
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration, Instant

_NONE: Sequence[Occurrence] = ()
_MARKS_ALLOWED = 64
_END = attrgetter("end")


class Queue:
    """What waits at one slot. It is forgotten `lifetime` after its end; without lifetime never."""

    __slots__ = ("_buckets", "_keys", "_lifetime", "_line", "living")

    def __init__(self, lifetime: Duration | None) -> None:
        self._lifetime = lifetime
        self._buckets: dict[Hashable, list[Occurrence]] = {}
        # The line of expiry: occurrences and, beside them, their keys. An occurrence that lives and
        # stands first in the line stands first in its bucket too, since both are in the order of
        # arrival.
        self._line: deque[Occurrence] = deque()
        self._keys: deque[Hashable] = deque()
        self.living = 0

    def __len__(self) -> int:
        return self.living

    def __iter__(self) -> Iterator[Occurrence]:
        """All that wait, oldest first."""
        living = {id(each) for bucket in self._buckets.values() for each in bucket}
        return (each for each in self._line if id(each) in living)

    def keyed(self) -> Iterator[tuple[Occurrence, Hashable]]:
        """All that wait, oldest first, each with its key."""
        living = {id(each) for bucket in self._buckets.values() for each in bucket}
        pairs = zip(self._line, self._keys, strict=True)
        return (pair for pair in pairs if id(pair[0]) in living)

    def add(self, occurrence: Occurrence, key: Hashable) -> None:
        """Waits from now on; occurrences are added in the order of their ends."""
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets[key] = [occurrence]
        else:
            bucket.append(occurrence)
        self._line.append(occurrence)
        self._keys.append(key)
        self.living += 1

    def waiting(self, key: Hashable) -> Sequence[Occurrence]:
        """What waits under a key, oldest first; a view, not to be used past the next change."""
        return self._buckets.get(key, _NONE)

    def candidates(self, key: Hashable, rows: Rows) -> Sequence[Occurrence]:
        """What waits under a key and may agree with one of the rows, oldest first; a view, as
        `waiting` gives.
        """
        return self.waiting(key)

    def buckets(self) -> Iterable[tuple[Hashable, Sequence[Occurrence]]]:
        """All that wait, by key; a view, not to be used past the next change."""
        return self._buckets.items()

    def holds(self, occurrence: Occurrence, key: Hashable) -> bool:
        """Whether the occurrence still waits under the key."""
        return any(each is occurrence for each in self._buckets.get(key, _NONE))

    def remove(self, occurrence: Occurrence, key: Hashable) -> None:
        """Uses up one that waits under the key."""
        bucket = self._buckets[key]
        bucket.remove(occurrence)
        self.living -= 1
        if not bucket:
            del self._buckets[key]
        if len(self._line) > 2 * self.living + _MARKS_ALLOWED:
            self._drop_marks()

    def remove_same(self, occurrence: Occurrence) -> None:
        """Uses up all that wait and are the same occurrence, under whichever key: they stand side
        by side in line.
        """
        line, end = self._line, occurrence.end
        at = bisect_left(line, end, key=_END)
        same: list[tuple[Occurrence, Hashable]] = []
        while at < len(line) and line[at].end == end:
            if line[at].is_same(occurrence):
                same.append((line[at], self._keys[at]))
            at += 1
        for each, key in same:
            if self.holds(each, key):
                self.remove(each, key)

    def clear(self) -> None:
        """Uses everything up."""
        self._buckets.clear()
        self._line.clear()
        self._keys.clear()
        self.living = 0

    def forget_before(self, now: Instant) -> None:
        """Drops what nothing that ends at `now` or later can complete."""
        if self._lifetime is not None:
            line, oldest = self._line, now - self._lifetime
            while line and line[0].end < oldest:
                self.pop()

    def pop(self) -> Occurrence | None:
        """Takes the first out of the line of expiry: the occurrence, or None where it was used up
        before.
        """
        occurrence, key = self._line.popleft(), self._keys.popleft()
        bucket = self._buckets.get(key)
        if bucket is None or bucket[0] is not occurrence:
            return None
        self.living -= 1
        if len(bucket) == 1:
            del self._buckets[key]
        else:
            del bucket[0]
        return occurrence

    @property
    def first_end(self) -> Instant | None:
        """When the first in the line ended, whether it lives or not; None where nothing is left."""
        return self._line[0].end if self._line else None

    def next_expiry(self) -> Instant | None:
        """Until when the first in the line matters, whether it lives or not; None where nothing
        will be forgotten.
        """
        return (
            self._line[0].end + self._lifetime
            if self._line and self._lifetime is not None
            else None
        )

    def skip_marks(self) -> None:
        """Takes what was used up out of the front of the line."""
        line, keys, buckets = self._line, self._keys, self._buckets
        while line and ((bucket := buckets.get(keys[0])) is None or bucket[0] is not line[0]):
            line.popleft()
            keys.popleft()

    def _drop_marks(self) -> None:
        living = {id(each) for bucket in self._buckets.values() for each in bucket}
        kept = [
            (each, key)
            for each, key in zip(self._line, self._keys, strict=True)
            if id(each) in living
        ]
        self._line = deque(each for each, _ in kept)
        self._keys = deque(key for _, key in kept)
