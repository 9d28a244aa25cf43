"""The answers of one event: probes that its values lead to carry its generation; comparisons wait
until asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_LAST_GENERATION = 2**31 - 1


class OneEvent:
    """`seen` by probe, `visited` by subscription slot, `numbers` and `tied` by column; no probe
    costs a clearing.

    `seen` has the generation for a yes and, once a comparison was made, its negative for a no.
    `compared` counts them.
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
        """A new event: nothing is answered with yes, and no column has a number."""
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
        """The event answers a probe with yes."""
        self._single.append(probe)

    def see_all(self, probes: npt.NDArray[Any]) -> None:
        """The event answers each of these probes with yes."""
        self._found.append(probes)

    def yes(self) -> npt.NDArray[Any]:
        """All probes that were answered with yes by looking up; the views they came from are let
        go.
        """
        found, self._found = self._found, []
        return np.concatenate([np.array(self._single, np.int32), *found])

    def compare(self, column: int, number: float, *, tied: bool) -> None:
        """The event's number; where it is tied, comparisons with an equal limit were looked up."""
        self.numbers[column] = number
        self.tied[column] = tied


def _fits(array: npt.NDArray[Any], needed: int) -> bool:
    """Large enough, and not many times too large."""
    return needed <= len(array) <= 8 * needed + 64
