"""Typed statements of an event (spec 4.2), and the entries at which patterns wait for them (2.4).

Entries, the paper's EMS array, are created by the first pattern. A typed statement is inspected at
the entries at or above its own type, cached per type. A repeated property is a property of its own,
with no other above or below it.

Statements come from home outwards. There is one for each arc and each pair of classes of its ends.
If subscriptions use a repeated property, the paths of its arcs are statements, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from tocsin.engine.graphs.encoding import HOME, Arc, EncodedGraph
from tocsin.engine.graphs.link_pairs import path_ends
from tocsin.engine.graphs.work import Budget
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import StatementPattern
from tocsin.values.terms import Literal, Term

_REPEATED = "+"


class StatementType(NamedTuple):
    """Subject class, property, object class."""

    subject_class: str
    property: str
    object_class: str


def repeated_property(name: str) -> str:
    """Return the name of `p+`."""
    return name + _REPEATED


def type_of(statement: StatementPattern) -> StatementType:
    """Return the entry at which a pattern waits."""
    used = repeated_property(statement.property) if statement.repeated else statement.property
    return StatementType(statement.subject_class, used, statement.object_class)


class StatementEntries:
    """The entries in use under one ontology, with reference counts."""

    __slots__ = ("_above", "_uses", "ontology")

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._uses: dict[StatementType, int] = {}
        self._above: dict[tuple[StatementType, bool], tuple[StatementType, ...]] = {}

    def __len__(self) -> int:
        return len(self._uses)

    def use(self, entry: StatementType) -> None:
        """Count one more use of an entry."""
        if entry not in self._uses:
            self._above.clear()
        self._uses[entry] = self._uses.get(entry, 0) + 1

    def release(self, entry: StatementType) -> None:
        """Count one use less; remove the entry with its last use."""
        self._uses[entry] -= 1
        if not self._uses[entry]:
            del self._uses[entry]
            self._above.clear()

    def at_or_above(self, own: StatementType, *, literal: bool) -> tuple[StatementType, ...]:
        """Return the entry of a typed statement and its ancestors, as far as patterns use them;
        each once.
        """
        found = self._above.get((own, literal))
        if found is None:
            found = self._above[own, literal] = self._found(own, literal)
        return found

    def _found(self, own: StatementType, literal: bool) -> tuple[StatementType, ...]:
        order = self.ontology
        subjects = order.superclasses(own.subject_class)
        properties = order.superproperties(own.property)
        objects = (order.superdatatypes if literal else order.superclasses)(own.object_class)
        return tuple(
            each
            for each in self._uses
            if each.subject_class in subjects
            and each.property in properties
            and each.object_class in objects
        )


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
