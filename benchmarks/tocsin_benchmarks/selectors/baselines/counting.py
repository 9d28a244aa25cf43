"""The counting algorithm: find the literals that hold, count them up per conjunct, and compare with
what is needed.

Every distinct predicate is looked at once per event; the price is the final scan over all
conjuncts, as the paper says. Counting and scan are one numpy call each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin_benchmarks.selectors.baselines import Found, Numbers, Work
from tocsin_benchmarks.selectors.baselines.attribute_index import AttributeIndex
from tocsin_benchmarks.selectors.baselines.conjuncts import conjuncts_of


class CountingMatcher:
    """A counter per conjunct; a selector with OR has several."""

    def __init__(self) -> None:
        self._indexes: dict[str, AttributeIndex] = defaultdict(AttributeIndex)
        self._lengths: list[int] = []
        self._owners: list[int] = []
        self._needed = np.empty(0, np.intp)
        self._owner: Numbers = np.empty(0, np.int32)

    def add(self, number: int, selector: BooleanNode) -> None:
        """Enters every literal of every alternative into the index of its attribute."""
        for conjunct in conjuncts_of(selector):
            for literal in conjunct:
                self._indexes[literal.predicate.path[0]].add(literal, len(self._lengths))
            self._lengths.append(len(conjunct))
            self._owners.append(number)

    def prepare(self) -> None:
        """Sorts the indexes."""
        for index in self._indexes.values():
            index.prepare()
        self._needed = np.array(self._lengths, np.intp)
        self._owner = np.array(self._owners, np.int32)

    def match(self, events: Sequence[Event]) -> Found:
        """Counts for one event after the other."""
        found = [self._match_one(event) for event in events]
        places = np.repeat(np.arange(len(events), dtype=np.int32), [len(hits) for hits in found])
        return Found(places, np.concatenate(found) if found else np.empty(0, np.int32))

    def work(self, events: Sequence[Event]) -> Work:
        """Evaluations are single tests and look-ups in an index; visits are counters that go up."""
        tests = visits = 0
        for event in events:
            pieces, tested = self._satisfied(event)
            tests += tested
            visits += sum(map(len, pieces))
        return Work(tests, visits)

    def _match_one(self, event: Event) -> Numbers:
        pieces, _ = self._satisfied(event)
        raised = np.concatenate(pieces) if pieces else np.empty(0, np.int32)
        counters = np.bincount(raised, minlength=len(self._needed))
        return np.unique(self._owner[counters == self._needed])

    def _satisfied(self, event: Event) -> tuple[list[Numbers], int]:
        all_pieces: list[Numbers] = []
        all_tests = 0
        for name, index in self._indexes.items():
            value = event.attributes.get(name)
            if value is not None:
                pieces, tests = index.satisfied(value)
                all_pieces += pieces
                all_tests += tests
        return all_pieces, all_tests
