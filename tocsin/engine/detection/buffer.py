"""Buffer of entries that can be marked: in canonical order, partitioned by key, dropped when
nothing can complete them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Hashable, Iterator
from operator import attrgetter

from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Duration, Instant

_END = attrgetter("occurrence.end")


class BufferEntry:
    """A buffered occurrence, `alive` until it is consumed. `first_absent_end` is the end of the
    first absent part after it, for operators that look for one.
    """

    __slots__ = ("alive", "first_absent_end", "key", "occurrence")

    def __init__(self, occurrence: Occurrence, key: Hashable) -> None:
        self.occurrence = occurrence
        self.key = key
        self.alive = True
        self.first_absent_end: Instant | None = None


class ExpiringBuffer:
    """Entries of one slot. An entry expires `lifetime` after its occurrence ended; without lifetime
    never.
    """

    __slots__ = ("_all", "_buckets", "_lifetime")

    def __init__(self, lifetime: Duration | None) -> None:
        self._lifetime = lifetime
        self._all: deque[BufferEntry] = deque()
        self._buckets: dict[Hashable, deque[BufferEntry]] = {}

    def __len__(self) -> int:
        return len(self._all)

    @property
    def is_empty(self) -> bool:
        """True if no entry is alive."""
        return not any(entry.alive for entry in self._all)

    @property
    def oldest_end(self) -> Instant | None:
        """End of the first entry, alive or not; None without entries."""
        return self._all[0].occurrence.end if self._all else None

    def add(self, occurrence: Occurrence, key: Hashable = None) -> BufferEntry:
        """Buffer an occurrence and return its entry; they are added in the order of their ends."""
        entry = BufferEntry(occurrence, key)
        self._all.append(entry)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = deque()
        bucket.append(entry)
        return entry

    def oldest_first(self, key: Hashable = None) -> Iterator[BufferEntry]:
        """Return the living entries of a key, oldest first. The caller may consume entries
        meanwhile, but not add any.
        """
        bucket = self._buckets.get(key)
        if bucket is None:
            return iter(())
        while bucket and not bucket[0].alive:
            bucket.popleft()
        return (entry for entry in bucket if entry.alive)

    def newest_first(self, key: Hashable = None) -> Iterator[BufferEntry]:
        """Return the living entries of a key, the most recent first."""
        return (entry for entry in reversed(self._buckets.get(key, ())) if entry.alive)

    def keys(self) -> list[Hashable]:
        """Return the keys under which something is buffered, or was."""
        return list(self._buckets)

    def entries(self) -> Iterator[BufferEntry]:
        """Return all living entries, oldest first."""
        return (entry for entry in self._all if entry.alive)

    def consume_same(self, occurrence: Occurrence) -> None:
        """Consume all that are the same occurrence, under any key. Their ends are equal, so that a
        binary search finds them.
        """
        entries, end = self._all, occurrence.end
        at = bisect_left(entries, end, key=_END)
        while at < len(entries) and entries[at].occurrence.end == end:
            if entries[at].occurrence.is_same(occurrence):
                entries[at].alive = False
            at += 1

    def clear(self) -> None:
        """Consume all entries."""
        for entry in self._all:
            entry.alive = False
        self._all.clear()
        self._buckets.clear()

    def forget_before(self, now: Instant) -> None:
        """Drop entries at the front that are consumed, or that nothing which ends at `now` or later
        can complete.
        """
        entries, lifetime = self._all, self._lifetime
        while entries and (
            not entries[0].alive
            or (lifetime is not None and entries[0].occurrence.end + lifetime < now)
        ):
            entry = entries.popleft()
            entry.alive = False
            self._drop_front(entry.key)

    def _drop_front(self, key: Hashable) -> None:
        bucket = self._buckets.get(key)
        while bucket and not bucket[0].alive:
            bucket.popleft()
        if bucket is not None and not bucket:
            del self._buckets[key]
