"""Growing arrays of one type, slots, and posting lists of small numbers, each contiguous in one
pool.

An array has fast single writes, and a view for kernels without a copy. A posting list that outgrows
its room moves to the end with twice the room. The room left behind is freed when it makes up half
of the pool, so adding costs a constant on average.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

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


# Slots: small numbers for all that indexes hold, reused after removal.
#
# `SlotAllocator` gives out the numbers, `CountedSlots` numbers distinct items with many users,
# `Keys` numbers subscriptions. Compiled loops keep their free entries as chains in their own
# arrays.

Item = TypeVar("Item", bound=Hashable)


class SlotAllocator:
    """Slots from 0 on. A released slot is given out again, the one released last first."""

    __slots__ = ("_free", "capacity")

    def __init__(self) -> None:
        self._free: list[int] = []
        self.capacity = 0
        """One more than the highest slot in use or free for reuse."""

    def __len__(self) -> int:
        """Return the number of slots in use."""
        return self.capacity - len(self._free)

    def allocate(self) -> int:
        """Return a slot that is not in use."""
        if self._free:
            return self._free.pop()
        self.capacity += 1
        return self.capacity - 1

    def release(self, slot: int) -> None:
        """Free a slot for reuse."""
        self._free.append(slot)


class CountedSlots(Generic[Item]):
    """Distinct items by slot, with reference counts; the slot of an unused item is reused."""

    __slots__ = ("_allocator", "_items", "_slots", "_uses")

    def __init__(self) -> None:
        self._allocator = SlotAllocator()
        self._slots: dict[Item, int] = {}
        self._items: list[Item | None] = []
        self._uses: list[int] = []

    def __len__(self) -> int:
        """Return the number of items in use."""
        return len(self._slots)

    @property
    def capacity(self) -> int:
        """One more than the highest slot in use or free for reuse."""
        return self._allocator.capacity

    def slot_of(self, item: Item) -> int | None:
        """Return the slot of an item; None if it is not in use."""
        return self._slots.get(item)

    def item_at(self, slot: int) -> Item:
        """Return the item at a slot in use."""
        item = self._items[slot]
        assert item is not None
        return item

    def use(self, item: Item) -> int:
        """Count one more use of an item; return its slot."""
        slot = self._slots.get(item)
        if slot is None:
            slot = self._slots[item] = self._allocator.allocate()
            put(self._items, slot, item)
            put(self._uses, slot, 0)
        self._uses[slot] += 1
        return slot

    def release(self, slot: int) -> bool:
        """Count one use less; True if it was the last, and the item is removed."""
        self._uses[slot] -= 1
        if self._uses[slot]:
            return False
        del self._slots[self.item_at(slot)]
        self._items[slot] = None
        self._allocator.release(slot)
        return True


_WORTH_COMPACTING = 1024


class Postings:
    """Lists by number; an emptied list is removed and its number is reused."""

    __slots__ = ("_garbage", "_numbers", "_room", "counts", "pool", "starts")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.starts = Growable(INT64)
        self.counts = Growable(INT32)
        self._room = Growable(INT32)
        self.pool = Growable(INT32)
        self._numbers = SlotAllocator()
        self._garbage = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def new(self, item: int) -> int:
        """Add a list with one item; return its number."""
        number = self._numbers.allocate()
        self._set(number, self.pool.append(item), 1, 1)
        return number

    def append(self, number: int, item: int) -> None:
        """Add an item to a list."""
        count = self.counts[number]
        if count == self._room[number]:
            start = self.pool.copy_to_end(self.starts[number], count, 2 * count)
            self._set(number, start, count, 2 * count)
            self._discard(count)
        self.pool[self.starts[number] + count] = item
        self.counts[number] = count + 1

    def remove(self, number: int, item: int) -> bool:
        """Remove an item from a list; True if it was the last, and the list is removed, too."""
        items = self.of(number)
        items[np.flatnonzero(items == item)[0]] = items[-1]
        self.counts[number] = len(items) - 1
        if len(items) > 1:
            return False
        room = self._room[number]
        self._set(number, 0, 0, 0)
        self._numbers.release(number)
        if len(self):
            self._discard(room)
        else:
            self._clear()
        return True

    def of(self, number: int) -> npt.NDArray[Any]:
        """Return the items of a list, as a view that must not be kept across a change."""
        start = self.starts[number]
        return self.pool.array[start : start + self.counts[number]]

    def _set(self, number: int, start: int, count: int, room: int) -> None:
        put(self.starts, number, start)
        put(self.counts, number, count)
        put(self._room, number, room)

    def _discard(self, room: int) -> None:
        self._garbage += room
        if self._garbage > _WORTH_COMPACTING and 2 * self._garbage > len(self.pool):
            self._compact()

    def _compact(self) -> None:
        starts, rooms = self.starts.array, self._room.array.astype(np.int64)
        moved = np.cumsum(rooms) - rooms
        places = np.arange(rooms.sum()) + np.repeat(starts - moved, rooms)
        self.pool.replace(self.pool.array[places])
        starts[:] = moved
        self._garbage = 0
