"""The answers by probe, of a block of events or of one event.

For a block they are a bit vector, or a short list of the positive events. Equalities are true for
few events and comparisons for many; a list takes a twentieth of a bit vector, so a million
equalities fit where a million bit vectors would not. Memory is reused between blocks. For one
event, probes found by value are marked; comparisons run on demand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.bitmaps import (
    FIRST_FREE_ROW,
    WORD,
    assign_rows,
    begin_block,
    count_lists,
    count_rows,
    fill_flags,
    fill_lists,
    group_by_code,
)

_MAX_SIZE_PER_USED = 8
_MIN_SIZE_TO_FREE = 1 << 16


class AnswerMatrix:
    """Answers: `numbers` has the row or list of each probe, `matrix` the bit vectors, `pool` the
    lists.

    `decided` counts the decisions.
    """

    __slots__ = ("_memory", "_words", "decided", "free", "numbers", "pool", "used")

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint64)
        self._words = 0
        self.numbers = np.empty(0, np.int32)
        self.pool = np.empty(0, np.uint16)
        self.free = FIRST_FREE_ROW
        self.used = 0
        self.decided = 0

    @property
    def matrix(self) -> npt.NDArray[np.uint64]:
        """The bit vectors in use and those with allocated room."""
        rows = len(self._memory) // self._words
        return self._memory[: rows * self._words].reshape(rows, self._words)

    @property
    def few(self) -> int:
        """Most events for which a list is better than a bit vector."""
        return self._words

    def begin(self, size: int, probes: int) -> None:
        """Start a block: no probe has a positive answer.

        Memory that the last block left mostly unused is freed.
        """
        if len(self._memory) > _MIN_SIZE_TO_FREE + _MAX_SIZE_PER_USED * self.free * self._words:
            self._memory = np.empty(0, np.uint64)
        if len(self.pool) > _MIN_SIZE_TO_FREE + _MAX_SIZE_PER_USED * self.used:
            self.pool = np.empty(0, np.uint16)
        self._words = -(-size // WORD)
        self.free = self.used = self.decided = 0
        self.reserve(FIRST_FREE_ROW, 0)
        self.free = FIRST_FREE_ROW
        if len(self.numbers) != probes:
            self.numbers = np.empty(probes, np.int32)
        begin_block(self.matrix, self.numbers, size)

    def reserve(self, rows: int, listed: int) -> None:
        """Allocate room for more bit vectors and lists."""
        needed = (self.free + rows) * self._words
        if needed > len(self._memory):
            self._memory = _grown(self._memory, self.free * self._words, needed)
        if self.used + listed > len(self.pool):
            self.pool = _grown(self.pool, self.used, self.used + listed)

    def put_flags(self, probe: int, flags: npt.NDArray[np.bool_]) -> None:
        """Write the answer of a probe from one flag per event."""
        self.decided += len(flags)
        self.reserve(1, 0)
        self.free = fill_flags(flags, probe, self.matrix, self.numbers, self.free)


@dataclass(frozen=True, slots=True, eq=False)
class PostingAnswers:
    """Answers by value: each event has at most one code, each code a list of probes that it
    satisfies.
    """

    codes: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int32]
    lists: npt.NDArray[Any]

    def fill(self, rows: AnswerMatrix, window: slice) -> None:
        """Write the answers of the events in the window."""
        codes = self.codes[window]
        ends, places = (
            np.zeros(len(self.starts) + 1, np.int32),
            np.empty(len(self.starts), np.int32),
        )
        grouped = np.empty(len(codes), np.int32)
        group_by_code(codes, ends, places, grouped)
        touched = np.empty(self.counts[np.diff(ends) > 0].sum(), np.int32)
        touched = touched[
            : count_lists(ends, self.starts, self.counts, self.lists, rows.numbers, touched)
        ]
        dense, listed = count_rows(touched, rows.numbers, rows.few)
        rows.reserve(dense, listed)
        assign_rows(touched, rows.numbers, rows.few, rows.matrix, rows.free, rows.pool, rows.used)
        fill_lists(
            ends,
            grouped,
            self.starts,
            self.counts,
            self.lists,
            rows.numbers,
            rows.matrix,
            rows.pool,
        )
        rows.decided += int((self.counts * np.diff(ends)).sum())
        rows.free += dense
        rows.used += listed


def _grown(memory: npt.NDArray[Any], used: int, needed: int) -> npt.NDArray[Any]:
    larger = np.empty(needed + needed // 2, memory.dtype)
    larger[:used] = memory[:used]
    return larger


_LAST_GENERATION = 2**31 - 1


class OneEvent:
    """Answers: `seen` by probe, `visited` by subscription slot, `numbers` and `tied` by column.

    `seen` has the event's generation for a yes and, after a comparison, its negative for a no; so
    no array is cleared between events. `compared` counts comparisons.
    """

    __slots__ = (
        "_found",
        "_single",
        "compared",
        "generation",
        "numbers",
        "seen",
        "tied",
        "visited",
    )

    def __init__(self) -> None:
        self.seen = np.zeros(0, np.int32)
        self.visited = np.zeros(0, np.int32)
        self.numbers = np.zeros(0, np.float64)
        self.tied = np.zeros(0, np.bool_)
        self.compared = np.zeros(1, np.int64)
        self.generation = 0
        self._found: list[npt.NDArray[Any]] = []
        self._single: list[int] = []

    def begin(self, probes: int, slots: int, columns: int) -> None:
        """Start an event: no probe is satisfied, and no column has a number."""
        if self.generation == _LAST_GENERATION or not (
            _fits(self.seen, probes) and _fits(self.visited, slots)
        ):
            self.seen = np.zeros(2 * probes, np.int32)
            self.visited = np.zeros(2 * slots, np.int32)
            self.generation = 0
        if len(self.numbers) != columns:
            self.numbers = np.empty(columns, np.float64)
            self.tied = np.empty(columns, np.bool_)
        self.generation += 1
        self.compared[0] = 0
        self.numbers[:] = np.nan
        self.tied[:] = False
        self._found, self._single = [], []

    def see(self, probe: int) -> None:
        """Mark a probe as satisfied."""
        self._single.append(probe)

    def see_all(self, probes: npt.NDArray[Any]) -> None:
        """Mark several probes as satisfied."""
        self._found.append(probes)

    def yes(self) -> npt.NDArray[Any]:
        """Return all probes marked by lookup; drop the views that they came from."""
        found, self._found = self._found, []
        return np.concatenate([np.array(self._single, np.int32), *found])

    def compare(self, column: int, number: float, *, tied: bool) -> None:
        """Set the event's number; if it is tied, comparisons with an equal limit were looked up."""
        self.numbers[column] = number
        self.tied[column] = tied


def _fits(array: npt.NDArray[Any], needed: int) -> bool:
    """True if the array is large enough, and not many times too large."""
    return needed <= len(array) <= 8 * needed + 64
