"""The counting algorithm in plain Python, written like the paper's algorithm beside it: no index,
no numpy.

First every distinct predicate is evaluated, then the counters of the conjuncts go up that a literal
stands in, and at the end every counter is compared with what is needed (paper, section 1).
"""

from __future__ import annotations

from collections.abc import Sequence

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin_benchmarks.selectors.baselines import Found, Work, found_in_lists
from tocsin_benchmarks.selectors.baselines.conjuncts import Literal, conjuncts_of
from tocsin_benchmarks.selectors.baselines.predicate_table import (
    FALSE,
    TRUE,
    Attributes,
    PredicateTable,
    evaluations_in,
)

Entry = tuple[int, int, list[int]]
"""Number of the predicate, the result that is wanted of it, and the conjuncts that want it."""


class PlainCountingMatcher:
    """A counter per conjunct; a selector with OR has several."""

    def __init__(self) -> None:
        self._table = PredicateTable()
        self._entries: dict[Literal, Entry] = {}
        self._needed: list[int] = []
        self._owners: list[int] = []

    def add(self, number: int, selector: BooleanNode) -> None:
        """Enters every literal of every alternative."""
        for conjunct in conjuncts_of(selector):
            for literal in conjunct:
                self._entry(literal)[2].append(len(self._needed))
            self._needed.append(len(conjunct))
            self._owners.append(number)

    def prepare(self) -> None:
        """Nothing is left to do."""

    def match(self, events: Sequence[Event]) -> Found:
        """One event after the other, each with an empty table and counters at zero."""
        places: list[int] = []
        numbers: list[int] = []
        for place, event in enumerate(events):
            hits = self._matching(event.attributes, self._table.empty())[0]
            numbers += hits
            places += [place] * len(hits)
        return found_in_lists(places, numbers)

    def work(self, events: Sequence[Event]) -> Work:
        """Evaluations are the rows that were written into the table; visits are counters that went
        up.
        """
        evaluations = visits = 0
        for event in events:
            results = self._table.empty()
            visits += sum(self._matching(event.attributes, results)[1])
            evaluations += evaluations_in(results)
        return Work(evaluations, visits)

    def _matching(self, attributes: Attributes, results: bytearray) -> tuple[list[int], list[int]]:
        for predicate, evaluate in enumerate(self._table.evaluators):
            results[predicate] = evaluate(attributes)
        counters = [0] * len(self._needed)
        for predicate, wanted, conjuncts in self._entries.values():
            if results[predicate] == wanted:
                for conjunct in conjuncts:
                    counters[conjunct] += 1
        met = zip(self._owners, counters, self._needed, strict=True)
        return list(
            dict.fromkeys(owner for owner, count, needed in met if count == needed)
        ), counters

    def _entry(self, literal: Literal) -> Entry:
        if literal not in self._entries:
            number = self._table.number_of(literal.predicate)
            self._entries[literal] = (number, FALSE if literal.negated else TRUE, [])
        return self._entries[literal]
