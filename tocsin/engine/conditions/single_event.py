"""The answers of one event: probes found by value are marked; comparisons run on demand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

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
