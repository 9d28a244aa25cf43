"""All programs in one pool, each followed by its anchors, and their insertion order.

Removing leaves a hole. Holes are closed when they make up half of the pool, so adding and removing
cost a constant on average; removing the last program frees everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.programs import ConditionProgram
from tocsin.engine.index.growable import INT32, INT64, Growable

GONE = -1
_WORTH_COMPACTING = 1024


class ProgramStore:
    """Programs by subscription slot; `order` lists slots by insertion, GONE for removed ones."""

    __slots__ = (
        "_extents",
        "code",
        "depth",
        "holes",
        "jumps",
        "lengths",
        "live",
        "order",
        "places",
        "required",
        "starts",
    )

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.order = Growable(INT32)
        self.code = Growable(INT32)
        self.jumps = Growable(INT32)
        self.starts = Growable(INT64)
        self.lengths = Growable(INT32)
        self.required = Growable(INT32)
        self.places = Growable(INT32)
        self._extents = Growable(INT32)
        self.live = self.holes = self.depth = 0

    def add(self, slot: int, program: ConditionProgram, anchors: list[int]) -> None:
        """Store a program and its anchors at a free slot."""
        if slot == len(self.starts):
            for column in (self.starts, self.lengths, self._extents, self.required, self.places):
                column.append(0)
        self.starts[slot] = self.code.extend(program.code + anchors)
        self.jumps.extend(program.jumps + anchors)
        self.lengths[slot] = len(program.code)
        self._extents[slot] = len(program.code) + len(anchors)
        self.required[slot] = program.required
        self.places[slot] = self.order.append(slot)
        self.depth = max(self.depth, program.depth)
        self.live += 1

    def remove(self, slot: int) -> tuple[list[int], list[int]]:
        """Remove a program; return its instructions and its anchors."""
        start, length, extent = (
            column[slot] for column in (self.starts, self.lengths, self._extents)
        )
        held: list[int] = self.code.array[start : start + extent].tolist()
        self.order[self.places[slot]] = GONE
        self.live -= 1
        self.holes += extent
        if self.live == 0:
            self._clear()
        else:
            self._close_holes()
        return held[:length], held[length:]

    def _close_holes(self) -> None:
        if len(self.order) > max(_WORTH_COMPACTING, 2 * self.live):
            self._compact_order()
        if self.holes > max(_WORTH_COMPACTING, len(self.code) // 2):
            self._compact_code()

    def _compact_order(self) -> None:
        order = self.order.array
        self.order.replace(order[order != GONE])
        self.places.array[self.order.array] = np.arange(len(self.order))

    def _compact_code(self) -> None:
        slots = self.order.array[self.order.array != GONE]
        extents = self._extents.array[slots].astype(np.int64)
        moved = np.cumsum(extents) - extents
        places = np.arange(extents.sum()) + np.repeat(self.starts.array[slots] - moved, extents)
        self._keep(places)
        self.starts.array[slots] = moved
        self.holes = 0

    def _keep(self, places: npt.NDArray[Any]) -> None:
        self.code.replace(self.code.array[places])
        self.jumps.replace(self.jumps.array[places])
