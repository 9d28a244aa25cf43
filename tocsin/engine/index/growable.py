"""Growing arrays of one type: fast single writes, and a view for kernels without a copy."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import numpy.typing as npt

INT32, INT64, FLOAT64, BYTE = "i", "q", "d", "B"


class Growable:
    """A growing array. Do not keep the view `array` across a change of length: it shows the old
    numbers.
    """

    __slots__ = ("_items", "_type")

    def __init__(self, kind: str) -> None:
        self._items: array[Any] = array(kind)
        self._type = np.dtype(kind)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: int) -> Any:
        return self._items[place]

    def __setitem__(self, place: int, item: float) -> None:
        self._items[place] = item

    @property
    def array(self) -> npt.NDArray[Any]:
        """All numbers, as a view."""
        return np.frombuffer(self._items, self._type) if self._items else np.empty(0, self._type)

    def append(self, item: float) -> int:
        """Add a number; return its index."""
        try:
            self._items.append(item)
        except BufferError:
            self._leave_views()
            self._items.append(item)
        return len(self._items) - 1

    def extend(self, items: list[int]) -> int:
        """Add numbers; return the index of the first."""
        place = len(self._items)
        try:
            self._items.extend(items)
        except BufferError:
            self._leave_views()
            self._items.extend(items)
        return place

    def copy_to_end(self, start: int, count: int, room: int) -> int:
        """Copy a range to the end, zero-filled up to `room` numbers; return its first index."""
        return self.extend(self._items[start : start + count].tolist() + [0] * (room - count))

    def pop(self) -> None:
        """Remove the last number."""
        try:
            self._items.pop()
        except BufferError:
            self._leave_views()
            self._items.pop()

    def replace(self, items: npt.NDArray[Any]) -> None:
        """Replace all numbers."""
        self._items = array(self._items.typecode, items.astype(self._type).tobytes())

    def _leave_views(self) -> None:
        self._items = self._items[:]


def put(column: Growable | list[Any], place: int, item: Any) -> None:
    """Write an item at an index of a column, or one beyond its last."""
    if place == len(column):
        column.append(item)
    else:
        column[place] = item
