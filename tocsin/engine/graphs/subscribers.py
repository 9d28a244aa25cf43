"""The subscriptions of each shape."""

from __future__ import annotations

import numpy as np

from tocsin.engine.graphs.kernel import spread
from tocsin.engine.graphs.thresholds import Numbers
from tocsin.engine.index.growable import INT32, Growable
from tocsin.engine.index.postings import Postings

_NO_SUBSCRIBERS = -1


class Subscribers:
    """Slots by shape."""

    __slots__ = ("_lists", "_slots")

    def __init__(self) -> None:
        self._lists = Growable(INT32)
        self._slots = Postings()

    def add(self, shape: int, slot: int) -> None:
        """Add a slot to those of a shape."""
        while shape >= len(self._lists):
            self._lists.append(_NO_SUBSCRIBERS)
        if self._lists[shape] == _NO_SUBSCRIBERS:
            self._lists[shape] = self._slots.new(slot)
        else:
            self._slots.append(self._lists[shape], slot)

    def remove(self, shape: int, slot: int) -> bool:
        """Remove a slot from a shape; True if it was the last."""
        last = self._slots.remove(self._lists[shape], slot)
        if last:
            self._lists[shape] = _NO_SUBSCRIBERS
        return last

    def of(self, shapes: Numbers) -> list[int]:
        """Return the slots of the shapes."""
        if not len(shapes):
            return []
        lists, counts = self._lists.array, self._slots.counts.array
        found = np.empty(counts[lists[shapes]].sum(), np.int64)
        spread(shapes, lists, self._slots.starts.array, counts, self._slots.pool.array, found)
        slots: list[int] = found.tolist()
        return slots
