"""A shared binary decision diagram in plain Python, written like the paper's algorithm beside it.

Every literal is a boolean variable (that a predicate is true, or that it is false), every selector
a diagram over them; equal parts of all diagrams are one. The library `dd` builds it; the variables
stand in the order in which the preprocessed selectors name them. For an event a node is asked at
most once, and so is a predicate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from dd import autoref

from tocsin.errors import LimitProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not, Predicate
from tocsin.plan.passes import prepared_expression
from tocsin_benchmarks.selectors.baselines import Found, Work, found_in_lists
from tocsin_benchmarks.selectors.baselines.predicate_table import (
    FALSE,
    TRUE,
    UNSET,
    Attributes,
    PredicateTable,
    evaluations_in,
)

MAX_NODES = 4_000_000
NO, YES, OPEN = 0, 1, 2
"""The two ends of the diagram, which are its first two nodes, and a node that was not asked yet."""

Node = tuple[int, int, int, int]
"""Number of the predicate, the result that is wanted of it, where to go on without it, and where
with it.
"""


class SharedBdd:
    """One diagram with a root per different selector."""

    def __init__(self, max_nodes: int = MAX_NODES) -> None:
        self._max_nodes = max_nodes
        self._diagram: Any = autoref.BDD()
        self._variables: dict[tuple[int, int], str] = {}
        self._literals: list[tuple[int, int]] = []
        self._functions: list[Any] = []
        self._table = PredicateTable()
        self._nodes: list[Node] = [(0, 0, NO, NO), (0, 0, YES, YES)]
        self._roots: dict[int, list[int]] = {}

    def add(self, number: int, selector: BooleanNode) -> None:
        """Joins the selector's diagram with the others."""
        assert number == len(self._functions)
        self._functions.append(self._built(prepared_expression(selector)))
        if len(self._diagram) > self._max_nodes:
            raise LimitProblem(f"the decision diagram has more than {self._max_nodes:,} nodes")

    def prepare(self) -> None:
        """Writes the diagram as a list of nodes; the library is not asked again."""
        places: dict[Any, int] = {}
        roots: dict[int, list[int]] = defaultdict(list)
        for number, function in enumerate(self._functions):
            roots[self._place(function, places)].append(number)
        self._roots = dict(roots)
        self._functions.clear()
        self._diagram = None

    def match(self, events: Sequence[Event]) -> Found:
        """One event after the other, each with an empty table and no node asked."""
        places: list[int] = []
        numbers: list[int] = []
        for place, event in enumerate(events):
            hits = self._matching(event.attributes, self._table.empty())[0]
            numbers += hits
            places += [place] * len(hits)
        return found_in_lists(places, numbers)

    def work(self, events: Sequence[Event]) -> Work:
        """Evaluations are the rows that were written into the table; visits are the nodes that were
        asked.
        """
        evaluations = visits = 0
        for event in events:
            results = self._table.empty()
            visits += self._matching(event.attributes, results)[1]
            evaluations += evaluations_in(results)
        return Work(evaluations, visits)

    def _matching(self, attributes: Attributes, results: bytearray) -> tuple[list[int], int]:
        evaluators, nodes = self._table.evaluators, self._nodes
        answers = bytearray((OPEN,)) * len(nodes)
        answers[NO], answers[YES] = NO, YES
        hits: list[int] = []
        visits = 0
        for root, owners in self._roots.items():
            at, way = root, []
            while answers[at] == OPEN:
                way.append(at)
                predicate, wanted, if_not, if_so = nodes[at]
                result = results[predicate]
                if result == UNSET:
                    result = results[predicate] = evaluators[predicate](attributes)
                at = if_so if result == wanted else if_not
            visits += len(way)
            for passed in way:
                answers[passed] = answers[at]
            if answers[at] == YES:
                hits += owners
        return hits, visits

    def _built(self, node: BooleanNode) -> Any:
        match node:
            case AllOf(operands) | AnyOf(operands):
                whole = self._diagram.true if isinstance(node, AllOf) else self._diagram.false
                for operand in operands:
                    whole = self._diagram.apply(
                        "and" if isinstance(node, AllOf) else "or", whole, self._built(operand)
                    )
                return whole
            case Not(predicate):
                return self._variable(predicate, FALSE)  # type: ignore[arg-type]
            case _:
                return self._variable(node, TRUE)

    def _variable(self, predicate: Predicate, wanted: int) -> Any:
        literal = (self._table.number_of(predicate), wanted)
        if literal not in self._variables:
            self._variables[literal] = f"v{len(self._literals)}"
            self._literals.append(literal)
            self._diagram.declare(self._variables[literal])
        return self._diagram.var(self._variables[literal])

    def _place(self, function: Any, places: dict[Any, int]) -> int:
        """The number of a function among the nodes; its depth is at most the literals of one
        selector.
        """
        if function in (self._diagram.true, self._diagram.false):
            return YES if function == self._diagram.true else NO
        known = places.get(int(function))
        if known is not None:
            return known
        low, high = (self._diagram.let({function.var: value}, function) for value in (False, True))
        predicate, wanted = self._literals[int(function.var[1:])]
        self._nodes.append((predicate, wanted, self._place(low, places), self._place(high, places)))
        places[int(function)] = len(self._nodes) - 1
        return len(self._nodes) - 1
