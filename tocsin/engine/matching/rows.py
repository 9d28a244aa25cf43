"""The answers of a block of events: one bit vector per needed answer, one row per bit vector, one row number per probe.

A probe without a row of its own has row 0: no event of the block answers it with yes. Memory is kept between blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tocsin.engine.matching.kernels import FIRST_FREE_ROW, WORD, begin_block, fill_flags, fill_lists, group_by_code


class Rows:
    """The matrix of bit vectors of the current block."""

    __slots__ = ("_memory", "_numbers", "free", "matrix")

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint64)
        self._numbers = np.empty(0, np.int32)
        self.matrix = np.empty((0, 0), np.uint64)
        self.free = FIRST_FREE_ROW

    @property
    def numbers(self) -> npt.NDArray[np.int32]:
        """The row of each probe."""
        return self._numbers

    def begin(self, size: int, probes: int) -> None:
        """A new block: no answers yet, and room for one row per probe. Untouched room costs no memory."""
        words = -(-size // WORD)
        rows = probes + FIRST_FREE_ROW
        if rows * words > len(self._memory) or rows * words * 4 < len(self._memory):
            self._memory = np.empty(rows * words, np.uint64)
        if len(self._numbers) != probes:
            self._numbers = np.empty(probes, np.int32)
        self.matrix = self._memory[: rows * words].reshape(rows, words)
        self.free = FIRST_FREE_ROW
        begin_block(self.matrix, self._numbers, size)

    def put_flags(self, probe: int, flags: npt.NDArray[np.bool_]) -> None:
        """The answer of a probe, event by event."""
        self.free = fill_flags(flags, probe, self.matrix, self._numbers, self.free)


class Answers(Protocol):
    """What an index found out about a batch, ready to be written block by block."""

    def fill(self, rows: Rows, window: slice) -> None:
        """Writes the rows of the events in the window."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ListAnswers:
    """Every event has at most one code, and every code a list of the probes that it answers with yes."""

    codes: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int32]
    pool: npt.NDArray[Any]

    def fill(self, rows: Rows, window: slice) -> None:
        """Writes the rows of the events in the window."""
        codes = self.codes[window]
        ends, places = np.zeros(len(self.starts) + 1, np.int32), np.empty(len(self.starts), np.int32)
        grouped = np.empty(len(codes), np.int32)
        group_by_code(codes, ends, places, grouped)
        rows.free = fill_lists(ends, grouped, self.starts, self.counts, self.pool, rows.matrix, rows.numbers, rows.free)
