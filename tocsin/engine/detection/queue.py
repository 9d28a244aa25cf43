"""Buffer of the occurrences that wait at a slot: partitioned by key, in the order of their ends,
dropped when they expire.

A buffer holds the occurrences themselves and no wrapper, so that one event may wait at a thousand
places for little more than a thousand references. An occurrence consumed before it expires leaves a
tombstone in the expiry line; tombstones never outnumber living ones by far. A buffer may be indexed
by bound values: of a thousand shipments, those with this EPC.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from operator import attrgetter

from tocsin.plan.bindings import Row, Rows
from tocsin.plan.semantics.occurrence import Occurrence, Values, values_at
from tocsin.values.time import Duration, Instant

_NONE: Sequence[Occurrence] = ()
# tombstones before the first sweep: one pays off only over many
_MAX_TOMBSTONES = 64
_END = attrgetter("end")


class ExpiringQueue:
    """Occurrences that wait at one slot. One expires `lifetime` after its end; without lifetime
    never.
    """

    __slots__ = ("_buckets", "_keys", "_lifetime", "_line", "living")

    def __init__(self, lifetime: Duration | None) -> None:
        self._lifetime = lifetime
        self._buckets: dict[Hashable, list[Occurrence]] = {}
        # The expiry line: occurrences and, in parallel, their keys. A living occurrence that is the
        # first of the line is the first of its bucket too, since both are in the order of arrival.
        self._line: deque[Occurrence] = deque()
        self._keys: deque[Hashable] = deque()
        self.living = 0

    def __len__(self) -> int:
        return self.living

    def __iter__(self) -> Iterator[Occurrence]:
        """Yield all occurrences, oldest first."""
        living = {id(each) for bucket in self._buckets.values() for each in bucket}
        return (each for each in self._line if id(each) in living)

    def keyed(self) -> Iterator[tuple[Occurrence, Hashable]]:
        """Yield all occurrences, oldest first, each with its key."""
        living = {id(each) for bucket in self._buckets.values() for each in bucket}
        pairs = zip(self._line, self._keys, strict=True)
        return (pair for pair in pairs if id(pair[0]) in living)

    def add(self, occurrence: Occurrence, key: Hashable) -> None:
        """Buffer an occurrence; they are added in the order of their ends."""
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets[key] = [occurrence]
        else:
            bucket.append(occurrence)
        self._line.append(occurrence)
        self._keys.append(key)
        self.living += 1

    def waiting(self, key: Hashable) -> Sequence[Occurrence]:
        """Return the occurrences of a key, oldest first; a view, valid until the next change."""
        return self._buckets.get(key, _NONE)

    def candidates(self, key: Hashable, rows: Rows) -> Sequence[Occurrence]:
        """Return the occurrences of a key that may agree with one of the rows, oldest first; a
        view, as `waiting` returns.
        """
        return self.waiting(key)

    def buckets(self) -> Iterable[tuple[Hashable, Sequence[Occurrence]]]:
        """Return all occurrences, by key; a view, valid until the next change."""
        return self._buckets.items()

    def holds(self, occurrence: Occurrence, key: Hashable) -> bool:
        """True if this very occurrence is still buffered under the key."""
        return any(each is occurrence for each in self._buckets.get(key, _NONE))

    def remove(self, occurrence: Occurrence, key: Hashable) -> None:
        """Consume an occurrence that is buffered under the key."""
        bucket = self._buckets[key]
        bucket.remove(occurrence)
        self.living -= 1
        if not bucket:
            del self._buckets[key]
        if len(self._line) > 2 * self.living + _MAX_TOMBSTONES:
            self._drop_marks()

    def remove_same(self, occurrence: Occurrence) -> None:
        """Consume all that are the same occurrence, under any key. Their ends are equal, so that a
        binary search finds them.
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
        """Consume all occurrences."""
        self._buckets.clear()
        self._line.clear()
        self._keys.clear()
        self.living = 0

    def forget_before(self, now: Instant) -> None:
        """Drop occurrences that nothing which ends at `now` or later can complete."""
        if self._lifetime is not None:
            line, oldest = self._line, now - self._lifetime
            while line and line[0].end < oldest:
                self.pop()

    def pop(self) -> Occurrence | None:
        """Take the first out of the expiry line; return the occurrence, or None if it was consumed
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
        """End of the first in the expiry line, living or not; None if the line is empty."""
        return self._line[0].end if self._line else None

    def next_expiry(self) -> Instant | None:
        """Return the instant up to which the first in the expiry line matters, living or not; None
        if nothing expires.
        """
        return (
            self._line[0].end + self._lifetime
            if self._line and self._lifetime is not None
            else None
        )

    def drop_tombstones(self) -> None:
        """Drop the tombstones at the front of the expiry line."""
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


class RowQueue(ExpiringQueue):
    """Queue with an index of the values of some variables. An occurrence with a row that does not
    bind all of them is always a candidate.
    """

    __slots__ = ("_by_value", "_loose", "_number", "_numbers", "_shared")

    def __init__(self, lifetime: Duration | None, shared: Sequence[str]) -> None:
        super().__init__(lifetime)
        self._shared = tuple(shared)
        self._by_value: dict[tuple[Hashable, Values], dict[int, Occurrence]] = {}
        self._loose: dict[Hashable, dict[int, Occurrence]] = {}
        self._numbers: dict[int, int] = {}
        self._number = 0

    def add(self, occurrence: Occurrence, key: Hashable) -> None:
        """Buffer and index an occurrence."""
        super().add(occurrence, key)
        self._number += 1
        self._numbers[id(occurrence)] = self._number
        for row in occurrence.rows:
            self._place(row, key).setdefault(id(occurrence), occurrence)

    def candidates(self, key: Hashable, rows: Rows) -> Sequence[Occurrence]:
        """Return the occurrences of a key that may agree with one of the rows, oldest first."""
        found: dict[int, Occurrence] = dict(self._loose.get(key, {}))
        waiting = self.waiting(key)
        for row in rows:
            values = self._values(row)
            if values is None or len(found) == len(waiting):
                return waiting
            found |= self._by_value.get((key, values), {})
        return sorted(found.values(), key=lambda each: self._numbers[id(each)])

    def remove(self, occurrence: Occurrence, key: Hashable) -> None:
        """Consume an occurrence that is buffered under the key."""
        super().remove(occurrence, key)
        self._unlist(occurrence, key)

    def clear(self) -> None:
        """Consume all occurrences."""
        super().clear()
        self._by_value.clear()
        self._loose.clear()
        self._numbers.clear()

    def pop(self) -> Occurrence | None:
        """Take the first out of the expiry line; return the occurrence, or None if it was consumed
        before.
        """
        key = self._keys[0]
        occurrence = super().pop()
        if occurrence is not None:
            self._unlist(occurrence, key)
        return occurrence

    def _unlist(self, occurrence: Occurrence, key: Hashable) -> None:
        del self._numbers[id(occurrence)]
        for row in occurrence.rows:
            self._place(row, key).pop(id(occurrence), None)
            self._drop_empty(row, key)

    def _place(self, row: Row, key: Hashable) -> dict[int, Occurrence]:
        values = self._values(row)
        if values is None:
            return self._loose.setdefault(key, {})
        return self._by_value.setdefault((key, values), {})

    def _drop_empty(self, row: Row, key: Hashable) -> None:
        values = self._values(row)
        if values is not None and not self._by_value[key, values]:
            del self._by_value[key, values]
        elif values is None and not self._loose[key]:
            del self._loose[key]

    def _values(self, row: Row) -> Values | None:
        bound = dict(row)
        return values_at(row, self._shared) if all(name in bound for name in self._shared) else None
