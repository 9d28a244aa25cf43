"""Records of small numbers, of any length, in one pool. Holes are closed at half of the pool."""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.growable import INT32, INT64, Growable, put
from tocsin.engine.index.keys import SlotAllocator

_WORTH_COMPACTING = 1024


class Records:
    """Records by number; the number of a removed record is reused."""

    __slots__ = ("_extents", "_holes", "_numbers", "pool", "starts")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.pool = Growable(INT32)
        self.starts = Growable(INT64)
        self._extents = Growable(INT32)
        self._numbers = SlotAllocator()
        self._holes = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, record: list[int]) -> int:
        """Add a record; return its number."""
        number = self._numbers.allocate()
        put(self.starts, number, self.pool.extend(record))
        put(self._extents, number, len(record))
        return number

    def remove(self, number: int) -> None:
        """Remove a record; removing the last one frees everything."""
        self._holes += self._extents[number]
        self._extents[number] = 0
        self._numbers.release(number)
        if not len(self):
            self._clear()
        elif self._holes > max(_WORTH_COMPACTING, len(self.pool) // 2):
            self._compact()

    def _compact(self) -> None:
        extents = self._extents.array.astype(np.int64)
        moved = np.cumsum(extents) - extents
        places = np.arange(extents.sum()) + np.repeat(self.starts.array - moved, extents)
        self.pool.replace(self.pool.array[places])
        self.starts.array[:] = moved
        self._holes = 0
