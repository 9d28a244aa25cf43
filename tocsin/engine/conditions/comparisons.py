"""The indexes for `<`, `<=`, `>`, `>=` on numbers and on texts (and BETWEEN, which is two of them).

Every comparison is a cut through the sorted values: the events before it or those behind it. So a
block of n events has at most n + 1 distinct answers per side, for any number of comparisons.

Comparisons of numbers are exact for integers of any size. Floats decide; the exact values are
compared only if two floats are equal and may stand for different integers.

Texts are compared by code point, as numbers on a scale with room between any two: a text that is
not on the scale gets the number right behind its lower neighbour, which is above that neighbour and
below the next. A new limit takes the middle between its neighbours and moves none; only without
room are all renumbered.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.columns.batch import Column
from tocsin.engine.conditions.answers import AnswerMatrix, OneEvent
from tocsin.engine.conditions.bitmaps import count_buckets, fill_ranks, rank_limits
from tocsin.engine.conditions.probes import RELATIONS, AttributeProbes, ProbeIndex
from tocsin.engine.index.encoding import (
    EXACT_LIMIT,
    Codes,
    Distinct,
    Floats,
    is_uncertain,
    nearest_float,
)
from tocsin.engine.index.growable import INT32, Growable
from tocsin.plan.nodes.atoms import ORDERINGS
from tocsin.values.scalars import Kind

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


_GAP = 1 << 30
_LIMIT = 1 << 52
"""Largest number: floats are exact up to here, and for the next integer."""


class TextOrder:
    """Texts in order, each with its number; neighbours are at least two apart."""

    __slots__ = ("_numbers", "_texts")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str) -> bool:
        """Add a new text; True if, for lack of room, all others were renumbered."""
        at = bisect_left(self._texts, text)
        below = self._numbers[at - 1] if at else None
        above = self._numbers[at] if at < len(self._numbers) else None
        number = _between(below, above)
        self._texts.insert(at, text)
        self._numbers.insert(at, number)
        if _fits(below, number) and _fits(number, above) and abs(number) < _LIMIT:
            return False
        self._renumber()
        return True

    def remove(self, text: str) -> None:
        """Remove a text."""
        at = bisect_left(self._texts, text)
        del self._texts[at], self._numbers[at]

    def number_of(self, text: str) -> int:
        """Return the number of a text, on the scale or between its texts."""
        at = bisect_left(self._texts, text)
        if at < len(self._texts) and self._texts[at] == text:
            return self._numbers[at]
        if at:
            return self._numbers[at - 1] + 1
        return self._numbers[0] - 1 if self._numbers else 0

    def _renumber(self) -> None:
        room = 2 * _LIMIT // (len(self._texts) + 1)
        self._numbers = [room * (place + 1) - _LIMIT for place in range(len(self._texts))]


def _between(below: int | None, above: int | None) -> int:
    if below is None:
        return 0 if above is None else above - _GAP
    return below + _GAP if above is None else (below + above) // 2


def _fits(below: int | None, above: int | None) -> bool:
    return below is None or above is None or above - below >= 2


class TextProbes:
    """Comparisons with texts; a limit is on the scale as long as some comparison has it."""

    __slots__ = ("_comparisons", "_scale", "_table")

    def __init__(self, attribute: AttributeProbes, column: int) -> None:
        self._table = attribute.table
        self._comparisons = Comparisons(attribute, column)
        self._scale = TextOrder()

    def __len__(self) -> int:
        return len(self._comparisons)

    def probe(self, relation: str, limit: str) -> int:
        """Return the probe for a comparison with a limit, new or known."""
        found = self._comparisons.known(relation, limit)
        if found is not None:
            return found
        if not self._comparisons.has(limit) and self._scale.add(limit):
            self._renumber()
        return self._comparisons.add(self, relation, limit, self._scale.number_of(limit))

    def drop(self, probe: int, key: Any) -> None:
        """Remove a probe, and its limit if no other probe has it."""
        self._comparisons.remove(probe, key)
        if not self._comparisons.has(key):
            self._scale.remove(key)

    def answers(self, distinct: Distinct) -> TextAnswers | None:
        """Return the answers for the distinct texts of a batch; None without texts."""
        if not distinct.values:
            return None
        count = len(distinct.values)
        # an entry without events may be None
        numbers = np.fromiter(
            (self._scale.number_of(text or "") for text in distinct.values), np.float64, count
        )
        return TextAnswers(self._comparisons, distinct.codes, numbers)

    def see(self, text: str, one: OneEvent) -> None:
        """Set the number of one event with the text, for its comparisons."""
        one.compare(self._comparisons.column, self._scale.number_of(text), tied=False)

    def _renumber(self) -> None:
        table = self._table
        for probe in self._comparisons.members.array.tolist():
            table.limits[probe] = self._scale.number_of(table.keys[probe])


@dataclass(frozen=True, slots=True, eq=False)
class TextAnswers:
    """Answers by text: each event has at most one code, each code a number on the scale."""

    comparisons: Comparisons
    codes: Codes
    numbers: Floats

    def fill(self, rows: AnswerMatrix, window: slice) -> None:
        """Write the rows of the events in the window."""
        codes = self.codes[window]
        events = np.flatnonzero(codes >= 0)
        if not len(events):
            return
        numbers = self.numbers[codes[events]]
        order = np.argsort(numbers, kind="stable")
        self.comparisons.fill(events[order], self.comparisons.ranks(numbers[order]), rows)


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
