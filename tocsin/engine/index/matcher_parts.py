"""Parts of every matcher: keys with their slots, hits, and counters of work.

Each subscription has a small number of its own, its slot; after removal it is reused. A hit is a
pair of event and slot; hits are ordered by event, then by insertion. Work is counted, not timed, so
that tests can prove what was not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.growable import SlotAllocator, put
from tocsin.engine.index.kernels import Ints, compiled
from tocsin.errors import StateProblem, name_taken

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Pairs of event index and subscription slot. A slot is valid until its subscription is
    removed.
    """

    events: Numbers
    slots: Numbers

    def __len__(self) -> int:
        return len(self.events)


class BlockHits:
    """Hits of a block of events, in parts, in subscription order; with a count per event."""

    __slots__ = ("parts", "tally", "window")

    def __init__(self, window: slice) -> None:
        self.window = window
        self.tally = np.zeros(window.stop - window.start, np.int64)
        self.parts: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = []

    def new_part(self, room: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Allocate room for pairs of event (within the block) and slot."""
        self.parts.append((np.empty(room, np.uint16), np.empty(room, np.int32)))
        return self.parts[-1]

    def end_part(self, count: int) -> None:
        """Cut the last part to the `count` pairs that were found."""
        events, slots = self.parts[-1]
        self.parts[-1] = (events[:count], slots[:count])


def sort_by_event(blocks: Sequence[BlockHits]) -> Hits:
    """Return the hits of consecutive blocks; a counting sort keeps the subscription order."""
    tally = np.concatenate([block.tally for block in blocks]) if blocks else np.zeros(0, np.int64)
    places = np.cumsum(tally) - tally
    slots = np.empty(tally.sum(), np.int32)
    for block in blocks:
        for events_found, slots_found in block.parts:
            _scatter(events_found, slots_found, places[block.window], slots)
    return Hits(np.repeat(np.arange(len(tally), dtype=np.int32), tally), slots)


def concatenate_hits(parts: Sequence[Hits]) -> Hits:
    """Return the hits of consecutive parts of a batch."""
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty(0, np.int32)
    return Hits(
        np.concatenate([nothing, *(part.events for part in parts)]),
        np.concatenate([nothing, *(part.slots for part in parts)]),
    )


@compiled
def _scatter(found_events: Ints, found_slots: Ints, places: Ints, slots: Ints) -> None:
    """Sort found pairs by event, stable; `places`, the next index of each event, is advanced."""
    for k in range(found_events.size):
        event = found_events[k]
        slots[places[event]] = found_slots[k]
        places[event] += 1


class Keys:
    """The two-way table of keys and slots."""

    __slots__ = ("_allocator", "_keys", "_slots")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._allocator = SlotAllocator()
        self._slots: dict[str, int] = {}
        self._keys: list[str | None] = []

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, key: object) -> bool:
        return key in self._slots

    @property
    def capacity(self) -> int:
        """One more than the highest slot in use or free for reuse."""
        return self._allocator.capacity

    def require_new(self, key: str) -> None:
        """Raise if the key is known."""
        if key in self._slots:
            raise name_taken(key)

    def add(self, key: str) -> int:
        """Add a key; return its slot."""
        self.require_new(key)
        slot = self._slots[key] = self._allocator.allocate()
        put(self._keys, slot, key)
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
        self._allocator.release(slot)
        if not self._slots:
            self._clear()
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
        if len(self._slots) < len(self._keys) and None in keys:
            return [self.key_of(slot) for slot in numbers]
        return keys  # type: ignore[return-value]


@dataclass(slots=True)
class WorkCounters:
    """Counters of one matcher, from its creation on.

    One predicate decided for one event is one evaluation, also if a whole batch is decided in one
    step; an index lookup that rules a predicate out is not. A matcher that keeps the rule "each
    distinct predicate at most once per event" has `predicate_evaluations <= distinct predicates *
    events`. A candidate is a subscription whose condition was checked beyond its first required
    tests, for one event or one block of events.
    """

    events: int = 0
    predicate_evaluations: int = 0
    like_checks: int = 0
    place_checks: int = 0
    candidates: int = 0
    hits: int = 0
