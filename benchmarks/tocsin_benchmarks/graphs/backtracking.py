"""The honest baseline for graph patterns: every subscription in turn, a cheap first test, then
plain backtracking.

It is what one writes by hand: the statement types of an event are put into one set, a subscription
that needs one which is not there falls at once, and the others are searched, statement after
statement. Nothing is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tocsin.engine.graphs.encoding import HOME, EncodedGraph
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import GraphPattern, Home, Injective, StatementPattern, Vertex

Meta = tuple[str, str, str]
Step = tuple[int, int, Meta]


class Backtracking:
    """Patterns of plain statements over home and variables, different ids having different
    images.
    """

    def __init__(self, patterns: Sequence[GraphPattern]) -> None:
        if any(each.injective is Injective.NONE for each in patterns):
            raise ValueError("this baseline gives different ids different images")
        self._ontology: Ontology = patterns[0].ontology
        self._programs = [_program(pattern) for pattern in patterns]
        self._needed = [frozenset(meta for _, _, meta in program) for program in self._programs]
        self._used = frozenset[Meta]().union(*self._needed)

    def match(self, graph: EncodedGraph) -> list[int]:
        """The numbers of the patterns that match."""
        arcs = self._arcs(graph)
        present = frozenset(arcs)
        return [
            number
            for number, needed in enumerate(self._needed)
            if needed <= present and _found(self._programs[number], 0, [HOME], arcs)
        ]

    def _arcs(self, graph: EncodedGraph) -> dict[Meta, dict[int, list[int]]]:
        """Where the arcs of each statement type lead, by the vertex they start at."""
        order = self._ontology
        found: dict[Meta, dict[int, list[int]]] = {}
        for arc in graph.arcs:
            above = {each for one in arc.subject_classes for each in order.superclasses(one)}
            beyond = {each for one in arc.object_classes for each in order.superclasses(one)}
            for meta in product(above, order.superproperties(arc.property), beyond):
                if meta in self._used:
                    found.setdefault(meta, {}).setdefault(arc.subject, []).append(arc.object)
        return found


def _program(pattern: GraphPattern) -> list[Step]:
    """The statements, each after one that reaches its subject; a new id has the next number."""
    numbers: dict[Vertex, int] = {Home(): HOME}
    steps, waiting = list[Step](), list(pattern.statements)
    while waiting:
        chosen = next(each for each in waiting if each.subject in numbers)
        waiting.remove(chosen)
        target = numbers.setdefault(chosen.object, len(numbers))
        steps.append((numbers[chosen.subject], target, _meta(chosen)))
    return steps


def _meta(statement: StatementPattern) -> Meta:
    return (statement.subject_class, statement.property, statement.object_class)


def _found(
    steps: list[Step], at: int, images: list[int], arcs: dict[Meta, dict[int, list[int]]]
) -> bool:
    if at == len(steps):
        return True
    subject, target, meta = steps[at]
    ends = arcs[meta].get(images[subject], ())
    if target < len(images):
        return images[target] in ends and _found(steps, at + 1, images, arcs)
    return any(end not in images and _found(steps, at + 1, [*images, end], arcs) for end in ends)
