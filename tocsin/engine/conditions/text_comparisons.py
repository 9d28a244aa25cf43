"""The index for `<`, `<=`, `>`, `>=` on texts (and BETWEEN, which is two of them), by code point.

The limits are on a scale that gives every text a number, so that texts are cut, sorted and compared
as numbers are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tocsin.engine.conditions.attribute_probes import AttributeProbes
from tocsin.engine.conditions.bitmap_matrix import AnswerMatrix
from tocsin.engine.conditions.comparisons import Comparisons
from tocsin.engine.conditions.single_event import OneEvent
from tocsin.engine.conditions.text_order import TextOrder
from tocsin.engine.index.encoding import Codes, Distinct, Floats


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
