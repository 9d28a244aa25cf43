"""The matching tree: one level per attribute, an edge per test of it, and a don't-care edge for who
does not ask.

An event follows every edge that holds and every don't-care edge; the leaves it reaches are its
matches. With don't-care edges the tree is linear in the selectors (the form with a single path per
event is exponential), but it is built as a whole: a change of one subscription rebuilds it. The
attribute that most conjuncts ask for comes first, and a level that no conjunct of a subtree asks
for is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tocsin.errors import LimitProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode, Equals
from tocsin_benchmarks.selectors.baselines import Found, Work, found_in_lists
from tocsin_benchmarks.selectors.baselines.conjuncts import Conjunct, Literal, conjuncts_of
from tocsin_benchmarks.selectors.baselines.value_tests import ValueTest, classes_of

MAX_NODES = 4_000_000

Owned = tuple[Conjunct, int]
EqualKey = tuple[type, Any]


@dataclass(slots=True)
class Node:
    """A level: edges by equality, edges by test (its number and the node behind it), and the
    don't-care edge.
    """

    attribute: str = ""
    equal: dict[EqualKey, Node] = field(default_factory=dict)
    tested: list[tuple[int, Node]] = field(default_factory=list)
    any_value: Node | None = None
    owners: list[int] = field(default_factory=list)


class MatchingTree:
    """Collects conjuncts and builds the tree when matching begins."""

    def __init__(self, max_nodes: int = MAX_NODES) -> None:
        self._owned: list[Owned] = []
        self._test_numbers: dict[Conjunct, int] = {}
        self._tests: list[list[tuple[frozenset[type], ValueTest]]] = []
        self._max_nodes = max_nodes
        self._nodes = 0
        self._root = Node()

    def add(self, number: int, selector: BooleanNode) -> None:
        """Keeps the alternatives until the tree is built."""
        self._owned += [(conjunct, number) for conjunct in conjuncts_of(selector)]

    def prepare(self) -> None:
        """Builds the tree."""
        asked = Counter(
            name
            for conjunct, _ in self._owned
            for name in {one.predicate.path[0] for one in conjunct}
        )
        self._root = self._built(self._owned, [name for name, _ in asked.most_common()], 0)

    def match(self, events: Sequence[Event]) -> Found:
        """Walks the tree once per event; a selector that is reached by two alternatives counts
        once.
        """
        places: list[int] = []
        numbers: list[int] = []
        for place, event in enumerate(events):
            hits = self._walk(event)[0]
            numbers += hits
            places += [place] * len(hits)
        return found_in_lists(places, numbers)

    def work(self, events: Sequence[Event]) -> Work:
        """Evaluations are tests made and equality look-ups; visits are edges looked at."""
        walks = [self._walk(event) for event in events]
        return Work(sum(walk[1] for walk in walks), sum(walk[2] for walk in walks))

    def _walk(self, event: Event) -> tuple[set[int], int, int]:
        attributes, results = event.attributes, [-1] * len(self._tests)
        hits: set[int] = set()
        evaluations = edges = 0
        stack = [self._root]
        while stack:
            node = stack.pop()
            hits.update(node.owners)
            value = attributes.get(node.attribute)
            if node.equal and value.__hash__:
                evaluations += 1
                child = node.equal.get((_class(value), value))
                if child is not None:
                    stack.append(child)
            for number, child in node.tested:
                result = results[number]
                if result < 0:
                    evaluations += 1
                    result = results[number] = self._holds(number, value)
                if result:
                    stack.append(child)
            edges += len(node.tested) + bool(node.equal) + (node.any_value is not None)
            if node.any_value is not None:
                stack.append(node.any_value)
        return hits, evaluations, edges

    def _holds(self, number: int, value: Any) -> bool:
        return all(
            value.__class__ in classes and test(value) for classes, test in self._tests[number]
        )

    def _built(self, owned: list[Owned], names: list[str], level: int) -> Node:
        self._count_node()
        while level < len(names) and not any(
            _about(conjunct, names[level]) for conjunct, _ in owned
        ):
            level += 1
        if level == len(names):
            return Node(owners=[number for _, number in owned])
        return self._level(owned, names, level)

    def _level(self, owned: list[Owned], names: list[str], level: int) -> Node:
        groups: dict[Conjunct, list[Owned]] = defaultdict(list)
        for conjunct, number in owned:
            groups[_about(conjunct, names[level])].append((conjunct, number))
        node = Node(names[level])
        for about, members in groups.items():
            child = self._built(members, names, level + 1)
            if not about:
                node.any_value = child
            elif key := _equality(about):
                node.equal[key] = child
            else:
                node.tested.append((self._test_number(about), child))
        return node

    def _test_number(self, about: Conjunct) -> int:
        number = self._test_numbers.setdefault(about, len(self._tests))
        if number == len(self._tests):
            self._tests.append(
                [(classes_of(literal.predicate), literal.test()) for literal in about]
            )
        return number

    def _count_node(self) -> None:
        self._nodes += 1
        if self._nodes > self._max_nodes:
            raise LimitProblem(f"the matching tree has more than {self._max_nodes:,} nodes")


def _about(conjunct: Conjunct, name: str) -> Conjunct:
    return frozenset(literal for literal in conjunct if literal.predicate.path[0] == name)


def _equality(about: Conjunct) -> EqualKey | None:
    """The key of an edge that a hash can find: a single equality."""
    match tuple(about):
        case (Literal(Equals(_, constant), False),):
            return (_class(constant.value), constant.value)
        case _:
            return None


def _class(value: Any) -> type:
    given: type = value.__class__
    return int if given is float else given
