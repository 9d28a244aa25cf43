"""The matchers that are compared, by name. All take the same plan nodes and events and must find
the same matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.errors import UnsupportedProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode, Condition, Predicate, predicates_of
from tocsin_benchmarks.selectors.baselines import Contender, Found, Numbers, Work
from tocsin_benchmarks.selectors.baselines.columns import ColumnMatcher
from tocsin_benchmarks.selectors.baselines.counting import CountingMatcher
from tocsin_benchmarks.selectors.baselines.matching_tree import MatchingTree
from tocsin_benchmarks.selectors.baselines.naive import NaiveMatcher
from tocsin_benchmarks.selectors.baselines.paper_algorithm import PaperMatcher
from tocsin_benchmarks.selectors.baselines.plain_counting import PlainCountingMatcher


class Name(StrEnum):
    """Who takes part."""

    TOCSIN = "tocsin"
    PAPER = "paper's algorithm"
    SCAN = "scan (oracle)"
    NAIVE = "naive closures"
    COUNTING = "counting"
    PLAIN_COUNTING = "counting, plain"
    BDD = "shared BDD"
    TREE = "matching tree"
    COLUMNS = "numpy columns"


class EngineContender:
    """A matcher of the engine."""

    def __init__(self, make: Callable[[], Matcher | ScanMatcher]) -> None:
        self._make = make
        self._matcher = make()
        self._selectors = 0
        self._numbers: Numbers = np.empty(0, np.int32)

    def add(self, number: int, selector: BooleanNode) -> None:
        """Adds under the number as key."""
        self._matcher.add(str(number), Condition(selector))
        self._selectors += 1

    def prepare(self) -> None:
        """Reads back which slot has which number."""
        self._numbers = np.array(
            [int(self._matcher.key_of(slot)) for slot in range(self._selectors)], np.int32
        )

    def match(self, events: Sequence[Event]) -> Found:
        """All matches of a batch; its columns are made on the way."""
        hits = self._matcher.match(Batch(events))
        return Found(hits.events, self._numbers[hits.slots])

    def work(self, events: Sequence[Event]) -> Work:
        """What the matcher's own counters say about these events as one batch."""
        counters = self._matcher.work
        before, looked_at = counters.predicate_evaluations, counters.candidates
        self._matcher.match(Batch(events))
        return Work(counters.predicate_evaluations - before, counters.candidates - looked_at)


def _shared_bdd() -> Contender:
    """Loaded when it takes part: its library is slow to load."""
    if find_spec("dd") is None:
        raise UnsupportedProblem("dd is not installed", hint="pip install dd adds it")
    made: Contender = import_module("tocsin_benchmarks.selectors.baselines.shared_bdd").SharedBdd()
    return made


CONTENDERS: dict[Name, Callable[[], Contender]] = {
    Name.TOCSIN: lambda: EngineContender(Matcher),
    Name.PAPER: PaperMatcher,
    Name.SCAN: lambda: EngineContender(ScanMatcher),
    Name.NAIVE: NaiveMatcher,
    Name.COUNTING: CountingMatcher,
    Name.PLAIN_COUNTING: PlainCountingMatcher,
    Name.BDD: _shared_bdd,
    Name.TREE: MatchingTree,
    Name.COLUMNS: ColumnMatcher,
}


def distinct_predicates(selectors: Sequence[BooleanNode]) -> set[Predicate]:
    """The different predicates of some selectors."""
    return {predicate for selector in selectors for predicate in predicates_of(selector)}
