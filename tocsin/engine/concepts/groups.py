"""A group of clauses that require the same symbol, or none: matched for many events by counting.

Each clause is a row. The parts of an event lead to rows; a row matches if its count equals the
number of its required parts, and no refused part leads to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.concepts.clause_literals import EventLiterals
from tocsin.engine.index.growable import BYTE, INT32, Growable, put
from tocsin.engine.index.keys import SlotAllocator
from tocsin.engine.index.postings import Postings

Numbers = npt.NDArray[Any]

_UNUSED = -1
_TABLE = 1 << 17
"""Most counts (events times rows) per step: they should fit into the cache of the processor."""


class LiteralPostings:
    """Posting lists of rows, by part number."""

    __slots__ = ("_lists", "_numbers")

    def __init__(self) -> None:
        self._lists = Postings()
        self._numbers: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, part: int, row: int) -> None:
        """Add a row to the list of a part."""
        if part in self._numbers:
            self._lists.append(self._numbers[part], row)
        else:
            self._numbers[part] = self._lists.new(row)

    def remove(self, part: int, row: int) -> None:
        """Remove a row from the list of a part."""
        if self._lists.remove(self._numbers[part], row):
            del self._numbers[part]

    def count(self, events: Sequence[set[int]], width: int) -> Numbers:
        """Count, as a table, the parts of each event that lead to each row."""
        numbers = self._numbers
        found = [[numbers[part] for part in parts if part in numbers] for parts in events]
        lists = np.array([number for each in found for number in each], np.int64)
        firsts = np.repeat(np.arange(len(events)) * width, [len(each) for each in found])
        counts = self._lists.counts.array[lists]
        ends = np.cumsum(counts)
        if not len(ends):
            return np.zeros((len(events), width), np.int64)
        shifts = self._lists.starts.array[lists] - ends + counts
        rows = self._lists.pool.array[np.repeat(shifts, counts) + np.arange(ends[-1])]
        cells = np.repeat(firsts, counts) + rows
        return np.bincount(cells, minlength=len(events) * width).reshape(len(events), width)


class ClauseGroup:
    """Rows with number of required parts, slot, and a flag: True if a match is exact."""

    __slots__ = ("_exact", "_needed", "_refused", "_required", "_rows", "_slots")

    def __init__(self) -> None:
        self._required, self._refused = LiteralPostings(), LiteralPostings()
        self._needed, self._slots, self._exact = Growable(INT32), Growable(INT32), Growable(BYTE)
        self._rows = SlotAllocator()

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self, slot: int, required: Iterable[int], refused: Iterable[int], *, exact: bool
    ) -> int:
        """Add a clause; return its row."""
        parts = tuple(required)
        row = self._rows.allocate()
        put(self._needed, row, len(parts))
        put(self._slots, row, slot)
        put(self._exact, row, exact)
        for part in parts:
            self._required.add(part, row)
        for part in refused:
            self._refused.add(part, row)
        return row

    def remove(self, row: int, required: Iterable[int], refused: Iterable[int]) -> None:
        """Free a row."""
        for part in required:
            self._required.remove(part, row)
        for part in refused:
            self._refused.remove(part, row)
        self._needed[row] = _UNUSED
        self._rows.release(row)

    def met_by(self, events: Sequence[EventLiterals]) -> tuple[Numbers, Numbers, Numbers]:
        """Return three columns: event index, slot of a clause that it meets, and True if that is
        exact.
        """
        step = max(1, _TABLE // len(self._needed))
        found = [self._met(events[start : start + step]) for start in range(0, len(events), step)]
        whose = np.concatenate([each[0] + number * step for number, each in enumerate(found)])
        rows = np.concatenate([each[1] for each in found])
        return whose, self._slots.array[rows], self._exact.array[rows] == 1

    def _met(self, events: Sequence[EventLiterals]) -> tuple[Numbers, Numbers]:
        width = len(self._needed)
        met = self._required.count([each.possible for each in events], width) == self._needed.array
        if len(self._refused):
            met &= self._refused.count([each.certain for each in events], width) == 0
        whose, rows = np.nonzero(met)
        return whose, rows
