"""A typed array that grows at its end, at a cost that is constant on average."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_SMALLEST = 16


class Growable:
    """`array` is what is in use; it must not be kept across a change."""

    __slots__ = ("_data", "count")

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._data = np.zeros(_SMALLEST, dtype)
        self.count = 0

    @property
    def array(self) -> npt.NDArray[Any]:
        """The items in use, as a view."""
        return self._data[: self.count]

    def append(self, item: float) -> int:
        """Adds one item and gives its place."""
        at = self._grown(1)
        self._data[at] = item
        return at

    def extend(self, items: Any) -> int:
        """Adds items and gives the place of the first."""
        at = self._grown(len(items))
        self._data[at : self.count] = items
        return at

    def extend_by(self, room: int) -> int:
        """Adds items of any value and gives the place of the first."""
        return self._grown(room)

    def shorten(self, count: int) -> None:
        """Keeps the first `count` items; memory is given back when most of it is unused."""
        self.count = count
        if len(self._data) > max(_SMALLEST, 4 * count):
            self._data = self._resized(max(_SMALLEST, 2 * count))

    def replace(self, items: npt.NDArray[Any]) -> None:
        """Holds these items and nothing else."""
        self._data = np.zeros(max(_SMALLEST, len(items)), self._data.dtype)
        self._data[: len(items)] = items
        self.count = len(items)

    def _grown(self, by: int) -> int:
        at, needed = self.count, self.count + by
        if needed > len(self._data):
            self._data = self._resized(max(needed, len(self._data) * 3 // 2))
        self.count = needed
        return at

    def _resized(self, size: int) -> npt.NDArray[Any]:
        data = np.zeros(size, self._data.dtype)
        data[: self.count] = self._data[: min(self.count, size)]
        return data
