"""Evaluation of graph patterns: exhaustive search, directly from the definition.

See spec 4.1, extended in plan/graphs.py. Every id in turn takes every vertex of the event, in
document order; a map is dropped as soon as a statement with both ends mapped does not hold. So maps
come in their order, and the first one found is the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.events.views.graph import Graph, graph_in
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.bindings import Row, Rows
from tocsin.plan.nodes.graphs import (
    ITSELF,
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    GraphPattern,
    Home,
    Injective,
    Regex,
    StatementPattern,
    Statements,
    Variable,
    VariableComparison,
    VariableRegex,
    Vertex,
    ids_of,
)
from tocsin.reference.inference import infer_facts
from tocsin.values.regex import Search
from tocsin.values.terms import Iri, Literal, Term, compare, plain_value, same_value
from tocsin.values.truth import Truth

# Classes and filters for one vertex, by Kleene's tables and the hierarchies.

_OPPOSITE = {Truth.TRUE: Truth.FALSE, Truth.FALSE: Truth.TRUE, Truth.UNKNOWN: Truth.UNKNOWN}


def is_of_class(term: Term, classes: Iterable[str], wanted: str, ontology: Ontology) -> bool:
    """True if a vertex has the class, or one below it. The classes of a literal are datatypes."""
    for each in classes:
        above = (
            ontology.superdatatypes(each)
            if isinstance(term, Literal)
            else ontology.superclasses(each)
        )
        if wanted in above:
            return True
    return False


def passes(condition: Filter, term: Term) -> bool:
    """True if the filter of a statement is TRUE for a term; UNKNOWN does not pass."""
    return _truth(condition, term, {}) is Truth.TRUE


def agrees(condition: Filter, images: Mapping[Vertex, Term]) -> bool:
    """True if a condition between variables is TRUE for their images."""
    return _truth(condition, None, images) is Truth.TRUE


def _truth(condition: Filter, term: Term | None, images: Mapping[Vertex, Term]) -> Truth:
    match condition:
        case Comparison(relation, value):
            assert term is not None
            return compare(term, relation, value)
        case VariableComparison(left, relation, right):
            other: Term = images[right] if isinstance(right, Variable) else right
            return compare(images[left], relation, other)
        case Regex(pattern, flags):
            return _found(pattern, flags, term)
        case VariableRegex(variable, pattern, flags):
            return _found(pattern, flags, images[variable])
        case FilterNot(operand):
            return _OPPOSITE[_truth(operand, term, images)]
        case FilterAll(operands):
            found = {_truth(operand, term, images) for operand in operands}
            return next(
                (each for each in (Truth.FALSE, Truth.UNKNOWN) if each in found), Truth.TRUE
            )
        case FilterAny(operands):
            found = {_truth(operand, term, images) for operand in operands}
            return next(
                (each for each in (Truth.TRUE, Truth.UNKNOWN) if each in found), Truth.FALSE
            )
        case _:
            assert_never(condition)


def _found(pattern: str, flags: str, term: Term | None) -> Truth:
    if not isinstance(term, Literal):
        return Truth.UNKNOWN
    return Truth.TRUE if Search(pattern, flags).found_in(term.lexical) else Truth.FALSE


Map: TypeAlias = Mapping[Vertex, Term]
"""The image of every id; a literal stands for all literals of its value."""


def holds(pattern: GraphPattern, event: Event) -> bool:
    """True if the event's graph matches; False for an event without a valid graph."""
    return next(maps(pattern, event), None) is not None


def maps(pattern: GraphPattern, event: Event) -> Iterator[Map]:
    """Yield every map of the statements that no absent group extends, in order.

    Optional groups are ignored.
    """
    try:
        search = _GraphSearch(_graph(pattern, event), pattern)
    except EventProblem:
        return
    for found in search.extensions(pattern.statements, {Home(): search.graph.home}):
        if not any(search.extends(group, found) for group in pattern.absents):
            yield found


def rows(pattern: GraphPattern, event: Event) -> Rows:
    """Return one row for a matching event: the selected images of the first map.

    A variable without an image is left out.
    """
    for found in maps(pattern, event):
        search = _GraphSearch(_graph(pattern, event), pattern)
        for group in pattern.optionals:
            found = next(search.extensions(group, found), found)  # noqa: PLW2901
        return (_row(pattern, found),)
    return ()


def _graph(pattern: GraphPattern, event: Event) -> Graph:
    """Return the graph of the event with all inferred arcs and classes."""
    return infer_facts(graph_in(event, pattern.ontology), pattern.ontology)


def _row(pattern: GraphPattern, found: Map) -> Row:
    chosen = ((name, found.get(Variable(name))) for name in sorted(set(pattern.select)))
    return tuple((name, plain_value(image)) for name, image in chosen if image is not None)


@dataclass(frozen=True, slots=True)
class _GraphSearch:
    graph: Graph
    pattern: GraphPattern

    def extends(self, group: Statements, found: Map) -> bool:
        """True if the map can be extended to the group."""
        return next(self.extensions(group, found), None) is not None

    def extensions(self, statements: Statements, found: Map) -> Iterator[Map]:
        """Yield every extension of the map to the ids of the statements that makes all hold."""
        missing = next((each for each in ids_of(statements) if each not in found), None)
        if missing is None:
            if all(self._holds(each, found) and _agrees(each, found) for each in statements):
                yield found
            return
        for image in self._candidates(missing):
            larger = {**found, missing: image}
            if self._has_own_image(missing, larger) and self._may_hold(statements, larger):
                yield from self.extensions(statements, larger)

    def _candidates(self, wanted: Vertex) -> list[Term]:
        """M1 and M2: return the vertices that an id may map to."""
        vertices = self._vertices()
        if isinstance(wanted, Iri | Literal):
            return [each for each in vertices if _same(each, wanted)]
        return vertices

    def _vertices(self) -> list[Term]:
        """Return home and the ends of all arcs, in document order; one literal per value."""
        found: list[Term] = [self.graph.home]
        for subject, _, value in self.graph.arcs:
            found += [
                each for each in (subject, value) if not any(_same(each, known) for known in found)
            ]
        return list(dict.fromkeys(found))

    def _has_own_image(self, newest: Vertex, found: Map) -> bool:
        """M5: True if the id mapped last has an image of its own, as far as required."""
        image = found[newest]
        injective = self.pattern.injective
        if injective is Injective.NONE or (
            injective is Injective.RESOURCES and isinstance(image, Literal)
        ):
            return True
        return not any(_same(image, other) for each, other in found.items() if each != newest)

    def _may_hold(self, statements: Statements, found: Map) -> bool:
        return all(
            self._holds(each, found)
            for each in statements
            if each.subject in found and each.object in found
        )

    def _holds(self, statement: StatementPattern, found: Map) -> bool:
        """M3: True if the statement holds; literals of the image's value stand for the image."""
        subject, image = found[statement.subject], found[statement.object]
        return self._is_a(subject, statement.subject_class) and any(
            _same(end, image)
            and self._is_a(end, statement.object_class)
            and _passes(statement, end)
            for end in self._ends(subject, statement)
        )

    def _ends(self, start: Term, statement: StatementPattern) -> list[Term]:
        """Return the ends of the statement's arcs, or of its paths if repeated, from a vertex."""
        ends = self._next(start, statement.property)
        for end in ends:
            if statement.repeated:
                ends += [each for each in self._next(end, statement.property) if each not in ends]
        return ends

    def _next(self, start: Term, wanted: str) -> list[Term]:
        if wanted == ITSELF:
            return [start]
        ontology = self.pattern.ontology
        return [
            value
            for subject, used, value in self.graph.arcs
            if subject == start and wanted in ontology.superproperties(used)
        ]

    def _is_a(self, vertex: Term, wanted: str) -> bool:
        return is_of_class(vertex, self.graph.types[vertex], wanted, self.pattern.ontology)


def _passes(statement: StatementPattern, end: Term) -> bool:
    return statement.filter is None or passes(statement.filter, end)


def _agrees(statement: StatementPattern, found: Map) -> bool:
    return statement.across is None or agrees(statement.across, found)


def _same(one: Term, other: Term) -> bool:
    """True if the two are the same vertex; literals compare by value."""
    if isinstance(one, Literal) and isinstance(other, Literal):
        return same_value(one, other)
    return one == other
