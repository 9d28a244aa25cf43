"""The answers of a block of events by probe: a bit vector, or a short list of the positive events.

Equalities are true for few events and comparisons for many; a list takes a twentieth of a bit
vector, so a million equalities fit where a million bit vectors would not. Memory is reused between
blocks.
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
