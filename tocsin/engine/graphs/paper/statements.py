"""Typed statements of an event, from home outwards (spec 4.2).

There is one for each arc and each pair of classes of its ends. If subscriptions use a repeated
property, the paths of its arcs are statements, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from tocsin.engine.graphs.budget import Budget
from tocsin.engine.graphs.encoding import HOME, Arc, EncodedGraph
from tocsin.engine.graphs.link_pairs import path_ends
from tocsin.engine.graphs.paper.entries import StatementType, repeated_property
from tocsin.knowledge.ontology import Ontology
from tocsin.values.terms import Literal, Term


class TypedStatement(NamedTuple):
    """An arc, or the ends of a path, with one class of each end."""

    subject: int
    object: int
    term: Term
    type: StatementType

    def is_literal(self) -> bool:
        """True if the object is a literal."""
        return isinstance(self.term, Literal)


def arcs_from_home(
    graph: EncodedGraph, ontology: Ontology, repeated: Iterable[str]
) -> Iterator[Arc]:
    """Yield every arc once, breadth-first from home.

    After the arcs of a vertex come the paths that start there. Raises Undecided if there are too
    many paths.
    """
    budget = Budget()
    queue, seen, properties = deque([HOME]), {HOME}, sorted(repeated)
    while queue:
        vertex = queue.popleft()
        for arc in graph.leaving(vertex):
            yield arc
            if arc.object not in seen:
                seen.add(arc.object)
                queue.append(arc.object)
        for each in properties:
            yield from _paths(vertex, each, graph, ontology, budget)


def find_typed_statements(arc: Arc) -> Iterator[TypedStatement]:
    """Yield the typed statements of an arc."""
    for above, below in product(arc.subject_classes, arc.object_classes):
        yield TypedStatement(
            arc.subject, arc.object, arc.term, StatementType(above, arc.property, below)
        )


def _paths(
    vertex: int, wanted: str, graph: EncodedGraph, ontology: Ontology, budget: Budget
) -> Iterator[Arc]:
    """Yield paths from a vertex as arcs of the repeated property; each end once per first arc."""
    for start in graph.leaving(vertex):
        if wanted in ontology.superproperties(start.property):
            for last in path_ends(start, wanted, graph, ontology, budget):
                yield last._replace(
                    subject=vertex,
                    property=repeated_property(wanted),
                    subject_classes=start.subject_classes,
                )
