"""The paper's strategy as a matcher: home patterns wait at entries; trees last for one event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.inference import encode_graph
from tocsin.engine.graphs.solver import Solver
from tocsin.engine.graphs.work import LIMIT, GraphWork, Undecided
from tocsin.engine.index.matcher_parts import Hits, Keys
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.warnings import VocabularyChecker
from tocsin.papers.graph_statements import StatementEntries, StatementType, type_of
from tocsin.papers.graph_trees import (
    NODE_LIMIT,
    Building,
    HomePattern,
    PaperSubscription,
    PaperTree,
    Verification,
    new_tree,
)
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.graphs import GraphPattern, Statements


@dataclass(slots=True)
class PaperSubscriptions:
    """The subscriptions under one ontology, and their home patterns, which wait between events."""

    entries: StatementEntries
    watch: VocabularyChecker
    subscriptions: dict[int, PaperSubscription] = field(default_factory=dict)
    resting: dict[StatementType, dict[HomePattern, None]] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)

    def add(self, slot: int, pattern: GraphPattern) -> None:
        """Add a subscription."""
        subscription = self.subscriptions[slot] = PaperSubscription(slot, pattern)
        for each in pattern.statements:
            self.entries.use(type_of(each))
            if each.repeated:
                self.repeated[each.property] = self.repeated.get(each.property, 0) + 1
        for place, each in enumerate(subscription.home_statements):
            self.resting.setdefault(type_of(each), {})[HomePattern(slot, place)] = None

    def remove(self, slot: int) -> None:
        """Remove a subscription and all state that only it used."""
        subscription = self.subscriptions.pop(slot)
        for place, each in enumerate(subscription.home_statements):
            waiting = self.resting[type_of(each)]
            del waiting[HomePattern(slot, place)]
            if not waiting:
                del self.resting[type_of(each)]
        self._release(subscription.pattern.statements)

    def _release(self, statements: Statements) -> None:
        for each in statements:
            self.entries.release(type_of(each))
            if each.repeated:
                self.repeated[each.property] -= 1
                if not self.repeated[each.property]:
                    del self.repeated[each.property]

    def trees(self, graph: EncodedGraph, limit: int) -> dict[int, PaperTree]:
        """Return the trees of one event.

        If there are too many paths, patterns with paths are undecided and the others are built.
        """
        try:
            return self._built(graph, limit, self.repeated)
        except Undecided:
            trees = self._built(graph, limit, ())
        for slot, subscription in self.subscriptions.items():
            if subscription.has_paths:
                trees[slot] = new_tree(subscription, full=True)
        return trees

    def _built(
        self, graph: EncodedGraph, limit: int, repeated: Iterable[str]
    ) -> dict[int, PaperTree]:
        building = Building(graph, self.entries, self.resting, self.subscriptions, limit)
        building.build(repeated)
        return building.trees


class PaperMatcher:
    """Graph patterns by key."""

    __slots__ = (
        "_by_ontology",
        "_keys",
        "_limit",
        "_nodes",
        "_patterns",
        "refused",
        "undecided",
        "warned",
        "work",
    )

    def __init__(self, *, limit: int = LIMIT, nodes: int = NODE_LIMIT) -> None:
        self._limit = limit
        self._nodes = nodes
        self._keys = Keys()
        self._patterns: dict[int, GraphPattern] = {}
        self._by_ontology: dict[Ontology, PaperSubscriptions] = {}
        self.undecided: list[tuple[int, str]] = []
        """Events of the last batch, and keys, with aborted trees (`LIMIT`); they do not match."""
        self.refused: dict[int, EventProblem] = {}
        """Events of the last batch without a valid graph, with the reason."""
        self.warned: list[tuple[int, EventProblem]] = []
        """Warnings about events of the last batch, given an ontology; the events are processed
        anyway.
        """
        self.work = GraphWork()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def entries(self) -> int:
        """Number of statement types with patterns."""
        return sum(len(shelf.entries) for shelf in self._by_ontology.values())

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: GraphPattern) -> None:
        """Add a subscription; raise for a known key, and change nothing then."""
        slot = self._keys.add(key)
        self._patterns[slot] = atom
        if atom.ontology not in self._by_ontology:
            self._by_ontology[atom.ontology] = PaperSubscriptions(
                StatementEntries(atom.ontology), VocabularyChecker(atom.ontology)
            )
        self._by_ontology[atom.ontology].add(slot, atom)

    def remove(self, key: str) -> None:
        """Remove a subscription and all state that only it used."""
        slot = self._keys.remove(key)
        pattern = self._patterns.pop(slot)
        shelf = self._by_ontology[pattern.ontology]
        shelf.remove(slot)
        if not shelf.subscriptions:
            del self._by_ontology[pattern.ontology]
        if not self._patterns:
            self.warned, self.refused = [], {}

    def match(self, batch: EventBatch) -> Hits:
        """Return the subscriptions that match each event, in subscription order."""
        self.undecided, self.refused, self.warned = [], {}, []
        found = [
            (i, slot) for i in range(batch.size) for slot in self._matching_slots(i, batch.event(i))
        ]
        self.work.events += batch.size
        self.work.hits += len(found)
        pairs = np.array(found, np.int32).reshape(-1, 2)
        return Hits(pairs[:, 0].copy(), pairs[:, 1].copy())

    def trees(self, event: Event) -> dict[str, PaperTree]:
        """Return the trees that an event builds, by key; untouched subscriptions have none."""
        found: dict[str, PaperTree] = {}
        for ontology, shelf in self._by_ontology.items():
            trees = shelf.trees(encode_graph(event, ontology), self._nodes)
            found |= {self._keys.key_of(slot): tree for slot, tree in trees.items()}
        return found

    def rows(self, atom: GraphPattern, event: Event) -> Rows:
        """Return the row that a matching event binds; an empty row if the search is aborted."""
        if not atom.select:
            return NOTHING_BOUND
        try:
            return Solver(atom, encode_graph(event, atom.ontology), self._limit).rows()
        except EventProblem:
            return ()
        except Undecided:
            return NOTHING_BOUND

    def _matching_slots(self, i: int, event: Event) -> list[int]:
        found = {
            slot
            for shelf in self._by_ontology.values()
            for slot in self._matching_slots_of(shelf, i, event)
        }
        return [slot for slot in self._patterns if slot in found] if found else []

    def _matching_slots_of(
        self, subscriptions: PaperSubscriptions, i: int, event: Event
    ) -> list[int]:
        try:
            graph = encode_graph(event, subscriptions.entries.ontology)
        except EventProblem as problem:
            self.refused.setdefault(i, problem)
            return []
        warnings = subscriptions.watch.warnings_in(graph.said.arcs, graph.said.types)
        self.warned += [(i, each) for each in warnings]
        trees = subscriptions.trees(graph, self._nodes)
        self.work.candidates += len(trees)
        self.work.nodes += sum(tree.nodes for tree in trees.values())
        self.work.predicate_evaluations += graph.filter_evaluations
        return [slot for slot, tree in trees.items() if self._matches(i, slot, tree, graph)]

    def _matches(self, i: int, slot: int, tree: PaperTree, graph: EncodedGraph) -> bool:
        try:
            return tree_matches(tree, graph, self._limit)
        except Undecided:
            self.work.undecided += 1
            self.undecided.append((i, self._keys.key_of(slot)))
            return False


def tree_matches(tree: PaperTree, graph: EncodedGraph, limit: int = LIMIT) -> bool:
    """True if a tree has a map that meets conditions between variables and extends to no absent
    group.
    """
    solver, statements = Solver(tree.pattern, graph, limit), tree.pattern.statements
    return any(
        solver.agrees(statements, found) and not solver.refuses(found)
        for found in Verification(tree, graph, limit).maps()
    )


def tree_of(
    pattern: GraphPattern, graph: EncodedGraph, limit: int = NODE_LIMIT
) -> PaperTree | None:
    """Return the tree of one subscription for one event; None if no home pattern accepts an arc."""
    shelf = PaperSubscriptions(
        StatementEntries(pattern.ontology), VocabularyChecker(pattern.ontology)
    )
    shelf.add(0, pattern)
    return shelf.trees(graph, limit).get(0)
