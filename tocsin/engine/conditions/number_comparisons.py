"""The index for `<`, `<=`, `>`, `>=` on numbers (and BETWEEN, which is two of them).

Exact for integers of any size. Floats decide; the exact values are compared only if two floats are
equal and may stand for different integers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from tocsin.engine.columns.batch import Column
from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix
from tocsin.engine.conditions.comparisons import Comparisons, Places, Ranks
from tocsin.engine.conditions.probe_table import RELATIONS
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.index.encoding import EXACT_LIMIT, Floats, is_uncertain, nearest_float
from tocsin.plan.nodes.atoms import ORDERINGS
from tocsin.values.scalars import Kind

_HOLDS = {RELATIONS[relation]: holds for relation, holds in ORDERINGS.items()}
_BISECT = {"<": bisect_left, "<=": bisect_right, ">": bisect_right, ">=": bisect_left}
_CUT = {RELATIONS[relation]: bisect for relation, bisect in _BISECT.items()}


class NumberProbes:
    """Comparisons with numbers; the number of a limit is its nearest float."""

    __slots__ = ("_comparisons", "_table")

    def __init__(self, attribute: AttributeProbes, column: int) -> None:
        self._table = attribute.table
        self._comparisons = Comparisons(attribute, column)

    def __len__(self) -> int:
        return len(self._comparisons)

    def probe(self, relation: str, limit: float) -> int:
        """Return the probe for a comparison with a limit, new or known."""
        found = self._comparisons.known(relation, limit)
        return (
            self._comparisons.add(self, relation, limit, nearest_float(limit))
            if found is None
            else found
        )

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe."""
        self._comparisons.remove(probe, key)

    def fill(self, column: Column, rows: AnswerMatrix, window: slice) -> None:
        """Write the rows of the events in the window."""
        events = np.flatnonzero(column.kinds[window] == Kind.NUMBER)
        if not len(events) or not len(self):
            return
        numbers = column.numbers[window][events]
        order = np.argsort(numbers, kind="stable")
        events, numbers = events[order], numbers[order]
        ranks = self._comparisons.ranks(numbers)
        if is_uncertain(numbers).any():
            events, exact = _exactly_sorted(
                events, [column.value(window.start + event) for event in events.tolist()]
            )
            self._correct(ranks, numbers, exact)
        self._comparisons.fill(events, ranks, rows)

    def see(self, value: float, one: OneEvent) -> None:
        """Mark the probes that one event with the number satisfies."""
        number = nearest_float(value)
        tied = abs(number) >= EXACT_LIMIT
        if tied:
            table, members = self._table, self._comparisons.members.array
            for probe in members[table.limits.array[members] == number].tolist():
                if _HOLDS[table.relations[probe]](value, table.keys[probe]):
                    one.see(probe)
        one.compare(self._comparisons.column, number, tied=tied)

    def _correct(self, ranks: Ranks, numbers: Floats, exact: list[float]) -> None:
        """Correct cuts among equal floats by the exact values that they stand for."""
        table, members = self._table, self._comparisons.members
        limits = table.limits.array[members.array]
        first, last = (
            np.searchsorted(numbers, limits, "left"),
            np.searchsorted(numbers, limits, "right"),
        )
        for k in np.flatnonzero((first < last) & is_uncertain(limits)).tolist():
            probe = members[k]
            cut = _CUT[table.relations[probe]]
            ranks[k] = cut(exact, table.keys[probe], int(first[k]), int(last[k]))


def _exactly_sorted(events: Places, exact: list[float]) -> tuple[Places, list[float]]:
    """Sort events, given in order of their floats, by their exact values."""
    order = sorted(range(len(exact)), key=exact.__getitem__)
    return events[order], [exact[k] for k in order]
