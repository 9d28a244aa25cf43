"""The index of one TBox: candidate tests by the clauses that an event meets.

Perhaps too many candidates, never too few. A clause is stored with those that require the same
symbol, most often the type of an event, so that only the clauses of an event's own types are
counted. An exact clause gives a hit; for any other the test is verified.

In such a group each clause is a row. The parts of an event lead to rows; a row matches if its count
equals the number of its required parts, and no refused part leads to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.concepts.clause_literals import (
    ConceptClause,
    EventLiterals,
    LiteralTable,
    clauses_of,
)
from tocsin.engine.concepts.facts import EventFacts
from tocsin.engine.index.growable import BYTE, INT32, Growable, Postings, SlotAllocator, put
from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.concept import Symbol
from tocsin.plan.nodes.concepts import ConceptTest

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


NO_SYMBOL = -1
"""The group of clauses that require no symbol."""

BLOCK = 64
"""Events per index lookup."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A clause with its group and its row there."""

    clause: ConceptClause
    group: int
    row: int


class ConceptIndex:
    """Tests by slot."""

    __slots__ = ("_groups", "_parts", "_placed", "_several", "_tests", "_work")

    def __init__(self, work: WorkCounters) -> None:
        self._work = work
        self._parts = LiteralTable(work)
        self._groups: dict[int, ClauseGroup] = {}
        self._tests: dict[int, ConceptTest] = {}
        self._placed: dict[int, list[_Placed]] = {}
        self._several = 0
        """Number of tests with more than one clause, which an event may meet twice."""

    def __len__(self) -> int:
        return len(self._tests)

    @property
    def distinct_parts(self) -> int:
        """Number of distinct parts of all clauses."""
        return len(self._parts)

    def add(self, slot: int, test: ConceptTest) -> None:
        """Add a test."""
        self._tests[slot] = test
        self._placed[slot] = [
            self._place(slot, clause, test.world) for clause in clauses_of(test.concept)
        ]
        self._several += len(self._placed[slot]) > 1

    def remove(self, slot: int) -> None:
        """Remove a test and all state that only it used."""
        del self._tests[slot]
        self._several -= len(self._placed[slot]) > 1
        for placed in self._placed.pop(slot):
            required = [self._parts.release(part) for part in placed.clause.required]
            refused = [self._parts.release(part) for part in placed.clause.refused]
            group = self._groups[placed.group]
            group.remove(placed.row, required, refused)
            if not len(group):
                del self._groups[placed.group]

    def match(self, events: Sequence[EventFacts]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return two columns: event index, and slot of a test that it meets; each pair once."""
        had = [self._parts.literals_of(facts) for facts in events]
        found = [*self._met(had)]
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.int32)
        whose, slots, sure = (np.concatenate(column) for column in zip(*found, strict=True))
        self._work.candidates += len(slots)
        sure &= np.array([each.exact for each in had], bool)[whose]
        if not sure.all():
            sure = self._verify(whose, slots, sure, events)
        if not self._several:
            return whose[sure], slots[sure]
        pairs = np.unique(whose[sure] * (1 << 32) + slots[sure])
        return pairs >> 32, pairs & 0xFFFFFFFF

    def _met(self, literals: Sequence[EventLiterals]) -> Iterator[tuple[npt.NDArray[Any], ...]]:
        asked: dict[int, list[int]] = (
            {NO_SYMBOL: list(range(len(literals)))} if NO_SYMBOL in self._groups else {}
        )
        for place, each in enumerate(literals):
            for part in each.symbols:
                if part in self._groups:
                    asked.setdefault(part, []).append(place)
        for part, places in asked.items():
            whose, slots, sure = self._groups[part].met_by([literals[place] for place in places])
            yield np.array(places, np.int64)[whose], slots, sure

    def _verify(
        self,
        event_numbers: npt.NDArray[Any],
        slots: npt.NDArray[Any],
        sure: npt.NDArray[Any],
        events: Sequence[EventFacts],
    ) -> npt.NDArray[Any]:
        """Return a flag per pair: True if it is sure or verified; a pair with a sure clause is not
        verified.
        """
        pairs = list(zip(event_numbers.tolist(), slots.tolist(), strict=True))
        known = {pair: True for pair, is_sure in zip(pairs, sure.tolist(), strict=True) if is_sure}
        for pair in pairs:
            if pair not in known:
                test = self._tests[pair[1]]
                known[pair] = events[pair[0]].entails(test.concept, test.world)
        return np.array([known[pair] for pair in pairs], bool)

    def _place(self, slot: int, clause: ConceptClause, world: World) -> _Placed:
        symbol = min(
            (part for part in clause.required if isinstance(part, Symbol)),
            key=lambda part: part.name,
            default=None,
        )
        required = {part: self._parts.use(part) for part in clause.required}
        refused = [self._parts.use(part) for part in clause.refused]
        group = NO_SYMBOL if symbol is None else required[symbol]
        exact = clause.is_monotone or (world is World.CLOSED and not clause.rest)
        row = self._groups.setdefault(group, ClauseGroup()).add(
            slot, required.values(), refused, exact=exact
        )
        return _Placed(clause, group, row)
