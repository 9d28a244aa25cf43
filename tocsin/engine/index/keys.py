"""Keys and slots: each subscription has a small number of its own; after removal it is reused."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tocsin.errors import StateProblem, name_taken


class Keys:
    """The two-way table of keys and slots."""

    __slots__ = ("_free", "_keys", "_slots")

    def __init__(self) -> None:
        self._slots: dict[str, int] = {}
        self._keys: list[str | None] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, key: object) -> bool:
        return key in self._slots

    @property
    def capacity(self) -> int:
        """One more than the highest slot in use or free for reuse."""
        return len(self._keys)

    def require_new(self, key: str) -> None:
        """Raise if the key is known."""
        if key in self._slots:
            raise name_taken(key)

    def add(self, key: str) -> int:
        """Add a key; return its slot."""
        self.require_new(key)
        if self._free:
            slot = self._free.pop()
            self._keys[slot] = key
        else:
            slot = len(self._keys)
            self._keys.append(key)
        self._slots[key] = slot
        return slot

    def remove(self, key: str) -> int:
        """Remove a key; return its former slot. Removing the last key frees the whole table."""
        slot = self._slots.pop(key, None)
        if slot is None:
            raise StateProblem(
                f"there is no subscription {key!r}",
                code="UnknownSubscriptionError",
                token=key,
                hint="check the id",
            )
        self._keys[slot] = None
        self._free.append(slot)
        if not self._slots:
            self._slots, self._keys, self._free = {}, [], []
        return slot

    def key_of(self, slot: int) -> str:
        """Return the key of a slot in use."""
        key = self._keys[slot]
        if key is None:
            raise StateProblem(f"slot {slot} has no subscription", code="UnknownSubscriptionError")
        return key

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one; fast for the slots of many hits."""
        numbers = slots.tolist() if isinstance(slots, np.ndarray) else slots
        keys = list(map(self._keys.__getitem__, numbers))
        if self._free and None in keys:
            return [self.key_of(slot) for slot in numbers]
        return keys  # type: ignore[return-value]
