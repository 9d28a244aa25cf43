"""The index for `<`, `<=`, `>`, `>=` (and BETWEEN, which is two of them). Exact for integers of any size.

A block's numbers are sorted once. Every comparison is then a cut: the events before it or those behind it, so a block
of n events has at most n + 1 different answers per side, however many comparisons there are. Floats decide; only where
two of them are equal and may stand for different integers are the exact values compared.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.batch import Column
from tocsin.engine.encoding import EXACT_LIMIT, Floats, nearest_float, uncertain
from tocsin.engine.matching.attribute import Attribute
from tocsin.engine.matching.filling import count_buckets, fill_ranks, rank_limits
from tocsin.engine.matching.growable import INT32, Growable
from tocsin.engine.matching.one import OneEvent
from tocsin.engine.matching.rows import Rows
from tocsin.engine.matching.table import RELATIONS
from tocsin.plan.atoms import ORDERINGS
from tocsin.values.scalars import Kind

_HOLDS = {RELATIONS[relation]: holds for relation, holds in ORDERINGS.items()}
_BISECT = {"<": bisect_left, "<=": bisect_right, ">": bisect_right, ">=": bisect_left}
_CUT = {RELATIONS[relation]: bisect for relation, bisect in _BISECT.items()}

Places = npt.NDArray[np.intp]


class NumberProbes:
    """Comparisons by relation and limit, in no particular order."""

    __slots__ = ("_attribute", "_members", "_probes")

    def __init__(self, attribute: Attribute) -> None:
        self._attribute = attribute
        self._probes: dict[int, dict[float, int]] = {code: {} for code in RELATIONS.values()}
        self._members = Growable(INT32)

    def __len__(self) -> int:
        return len(self._members)

    def probe(self, relation: str, limit: float) -> int:
        """The probe for a comparison with a limit."""
        known = self._probes[RELATIONS[relation]]
        found = known.get(limit)
        if found is None:
            found = known[limit] = self._attribute.new_probe(self, limit)
            place = self._members.append(found)
            self._attribute.table.compare(found, self._attribute.number, relation, nearest_float(limit), place)
        return found

    def drop(self, probe: int, key: Any) -> None:
        """Forgets a probe; the last member takes its place."""
        table = self._attribute.table
        del self._probes[table.relations[probe]][key]
        place, last = table.places[probe], self._members[-1]
        self._members[place] = last
        table.places[last] = place
        self._members.pop()
        self._attribute.lose_probe()

    def fill(self, column: Column, rows: Rows, window: slice) -> None:
        """Writes the rows of the events in the window."""
        events = np.flatnonzero(column.kinds[window] == Kind.NUMBER)
        if not len(events) or not len(self):
            return
        numbers = column.numbers[window][events]
        order = np.argsort(numbers, kind="stable")
        events, numbers = events[order], numbers[order]
        unsure = bool(uncertain(numbers).any())
        exact = [column.value(window.start + event) for event in events.tolist()] if unsure else []
        if unsure:
            events, exact = _exactly_sorted(events, exact)
        self._fill_ranks(events, self._ranks(numbers, exact), rows)

    def _fill_ranks(self, events: Places, ranks: npt.NDArray[np.int32], rows: Rows) -> None:
        rows.decided += len(self) * len(events)
        rows.reserve(min(len(self), 2 * len(events)), 0)
        before, behind = np.zeros(len(events) + 1, np.int32), np.zeros(len(events) + 1, np.int32)
        rows.free = fill_ranks(
            events,
            self._members.array,
            self._attribute.table.relations.array,
            ranks,
            before,
            behind,
            np.zeros(rows.matrix.shape[1], np.uint64),
            rows.matrix,
            rows.numbers,
            rows.free,
        )

    def see(self, value: float, one: OneEvent) -> None:
        """Answers for one event with the number."""
        number = nearest_float(value)
        tied = abs(number) >= EXACT_LIMIT
        if tied:
            table = self._attribute.table
            members = self._members.array
            for probe in members[table.limits.array[members] == number].tolist():
                if _HOLDS[table.relations[probe]](value, table.keys[probe]):
                    one.see(probe)
        one.compare(self._attribute.number, number, tied=tied)

    def _ranks(self, numbers: Floats, exact: list[float]) -> npt.NDArray[np.int32]:
        """How many of the sorted numbers lie before each cut; `exact` has them exactly, where floats are not enough."""
        table = self._attribute.table
        ranks = np.empty(len(self), np.int32)
        low, scale = float(numbers[0]), _bucket_scale(numbers)
        firsts = np.zeros(len(numbers) + 1, np.int32)
        count_buckets(numbers, low, scale, firsts)
        rank_limits(numbers, low, scale, firsts, self._members.array, table.relations.array, table.limits.array, ranks)
        if exact:
            limits = table.limits.array[self._members.array]
            first, last = np.searchsorted(numbers, limits, "left"), np.searchsorted(numbers, limits, "right")
            for k in np.flatnonzero((first < last) & uncertain(limits)).tolist():
                probe = self._members[k]
                cut = _CUT[table.relations[probe]]
                ranks[k] = cut(exact, table.keys[probe], int(first[k]), int(last[k]))
        return ranks


def _exactly_sorted(events: Places, exact: list[float]) -> tuple[Places, list[float]]:
    """Events that are in order of their floats, in order of their exact values."""
    order = sorted(range(len(exact)), key=exact.__getitem__)
    return events[order], [exact[k] for k in order]


def _bucket_scale(numbers: Floats) -> float:
    """Buckets per unit, for as many buckets as numbers; 0, which makes one of all, where the range has no width."""
    width = float(numbers[-1]) - float(numbers[0])
    scale = len(numbers) / width if width > 0 else 0.0
    return scale if isfinite(scale) else 0.0
