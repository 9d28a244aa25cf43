"""Records of small numbers, of any length, in one pool. Holes are closed at half of the pool."""

from __future__ import annotations

import numpy as np

from tocsin.engine.index.growable import INT32, INT64, Growable

_WORTH_COMPACTING = 1024


class Records:
    """Records by number; the number of a removed record is reused."""

    __slots__ = ("_extents", "_free", "_holes", "pool", "starts")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.pool = Growable(INT32)
        self.starts = Growable(INT64)
        self._extents = Growable(INT32)
        self._free: list[int] = []
        self._holes = 0

    def __len__(self) -> int:
        return len(self.starts) - len(self._free)

    def add(self, record: list[int]) -> int:
        """Add a record; return its number."""
        start = self.pool.extend(record)
        if not self._free:
            self._extents.append(len(record))
            return self.starts.append(start)
        number = self._free.pop()
        self.starts[number], self._extents[number] = start, len(record)
        return number

    def remove(self, number: int) -> None:
        """Remove a record; removing the last one frees everything."""
        self._holes += self._extents[number]
        self._extents[number] = 0
        self._free.append(number)
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
