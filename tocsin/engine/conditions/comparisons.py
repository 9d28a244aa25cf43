"""Comparisons of one attribute with limits: the probes, and the rows of a block with sorted values.

Every comparison is a cut through the sorted values: the events before it or those behind it. So a
block of n events has at most n + 1 distinct answers per side, for any number of comparisons.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix
from tocsin.engine.conditions.bitmaps import count_buckets, fill_ranks, rank_limits
from tocsin.engine.conditions.probe_table import RELATIONS, ProbeIndex
from tocsin.engine.index.encoding import Floats
from tocsin.engine.index.growable import INT32, Growable

Places = npt.NDArray[np.intp]
Ranks = npt.NDArray[np.int32]


class Comparisons:
    """Probes by relation and limit. Limits are ordered by their numbers.

    `column` is the column of the events' numbers.
    """

    __slots__ = ("_attribute", "_probes", "column", "members")

    def __init__(self, attribute: AttributeProbes, column: int) -> None:
        self._attribute = attribute
        self._probes: dict[int, dict[Any, int]] = {code: {} for code in RELATIONS.values()}
        self.column = column
        self.members = Growable(INT32)

    def __len__(self) -> int:
        return len(self.members)

    def has(self, limit: Any) -> bool:
        """True if some probe compares with the limit."""
        return any(limit in known for known in self._probes.values())

    def known(self, relation: str, limit: Any) -> int | None:
        """Return the probe of a comparison; None if it is new."""
        return self._probes[RELATIONS[relation]].get(limit)

    def add(self, home: ProbeIndex, relation: str, limit: Any, number: float) -> int:
        """Add a probe whose limit has the number; return it."""
        probe = self._attribute.new_probe(home, limit)
        self._probes[RELATIONS[relation]][limit] = probe
        place = self.members.append(probe)
        self._attribute.table.compare(probe, self.column, relation, number, place)
        return probe

    def remove(self, probe: int, limit: Any) -> None:
        """Remove a probe; the last member takes its place."""
        table = self._attribute.table
        del self._probes[table.relations[probe]][limit]
        place, last = table.places[probe], self.members[-1]
        self.members[place] = last
        table.places[last] = place
        self.members.pop()
        self._attribute.lose_probe()

    def ranks(self, numbers: Floats) -> Ranks:
        """Return for each member the number of sorted numbers before its cut."""
        table = self._attribute.table
        ranks = np.empty(len(self), np.int32)
        low, scale = float(numbers[0]), _bucket_scale(numbers)
        firsts = np.zeros(len(numbers) + 1, np.int32)
        count_buckets(numbers, low, scale, firsts)
        rank_limits(
            numbers,
            low,
            scale,
            firsts,
            self.members.array,
            table.relations.array,
            table.limits.array,
            ranks,
        )
        return ranks

    def fill(self, events: Places, ranks: Ranks, rows: AnswerMatrix) -> None:
        """Write the rows of all members; `events` must be in the order of their values."""
        rows.decided += len(self) * len(events)
        rows.reserve(min(len(self), 2 * len(events)), 0)
        before, behind = np.zeros(len(events) + 1, np.int32), np.zeros(len(events) + 1, np.int32)
        rows.free = fill_ranks(
            events,
            self.members.array,
            self._attribute.table.relations.array,
            ranks,
            before,
            behind,
            np.zeros(rows.matrix.shape[1], np.uint64),
            rows.matrix,
            rows.numbers,
            rows.free,
        )


def _bucket_scale(numbers: Floats) -> float:
    """Return buckets per unit, for as many buckets as numbers.

    0, which makes one bucket of all, if the range has no width.
    """
    width = float(numbers[-1]) - float(numbers[0])
    scale = len(numbers) / width if width > 0 else 0.0
    return scale if isfinite(scale) else 0.0
