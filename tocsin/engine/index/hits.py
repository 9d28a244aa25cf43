"""Hits: pairs of event and subscription, ordered by event, then by insertion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.index.kernels import Ints, compiled

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
