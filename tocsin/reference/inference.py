"""Inference for one event by the rules of its ontology (knowledge/rules.py), repeated to a
fixpoint.

An implied value of a class is a vertex of its own here while the rules run; it is not part of the
resulting graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tocsin.errors import EventProblem
from tocsin.events.views.graph import Arc, Graph
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import (
    MAX_INFERRED,
    AllOf,
    AnyOf,
    Expression,
    HasValue,
    Named,
    Rules,
    Some,
)
from tocsin.values.terms import THING, Iri, Literal, Term, same_value


@dataclass(frozen=True, slots=True)
class _Unseen:
    """An implied vertex that meets an expression; the event has no statements about it."""

    meaning: Expression


@dataclass(frozen=True, slots=True)
class _Value:
    """An implied value; the event's own statements about it are ignored."""

    term: Iri | Literal


_Vertex: TypeAlias = Term | _Unseen | _Value
_Types: TypeAlias = dict[_Vertex, set[str]]


def infer_facts(graph: Graph, ontology: Ontology) -> Graph:
    """Return the graph with all inferred facts; raise EventProblem above the limit."""
    if not ontology.rules:
        return graph
    arcs = _all_arcs(graph, ontology)
    types = _all_types(graph, arcs, ontology)
    fresh = sorted(arcs - set(graph.arcs), key=str)
    kinds = {
        term: (*classes, *sorted(types[term] - set(classes)))
        for term, classes in graph.types.items()
    }
    return Graph(graph.home, (*graph.arcs, *fresh), kinds)


def _all_arcs(graph: Graph, ontology: Ontology) -> set[Arc]:
    rules, arcs, growing = ontology.rules, set(graph.arcs), True
    while growing:
        more = {*_turned(arcs, rules, ontology), *_chained(arcs, rules, ontology)} - arcs
        arcs |= more
        growing = bool(more)
        if growing and len(arcs) > MAX_INFERRED:
            raise EventProblem(
                f"more than {MAX_INFERRED:,} arcs follow from the event",
                code="EVENT_TOO_LARGE",
                hint="send it as several events, or leave out infer: inverse",
            )
    return arcs


def _turned(arcs: set[Arc], rules: Rules, ontology: Ontology) -> Iterator[Arc]:
    for subject, used, value in arcs:
        for prop, inverse in rules.inverses:
            if prop in ontology.superproperties(used) and not isinstance(value, Literal):
                yield (value, inverse, subject)


def _chained(arcs: set[Arc], rules: Rules, ontology: Ontology) -> Iterator[Arc]:
    for prop in rules.transitive:
        steps = [arc for arc in arcs if prop in ontology.superproperties(arc[1])]
        for subject, _, middle in steps:
            for start, _, end in steps:
                if middle == start:
                    yield (subject, prop, end)


def _all_types(graph: Graph, arcs: set[Arc], ontology: Ontology) -> _Types:
    rules = ontology.rules
    types: _Types = {term: set(kinds) for term, kinds in graph.types.items()}
    for subject, used, value in arcs:
        above = ontology.superproperties(used)
        types[subject] |= {kind for prop, kind in rules.domains if prop in above}
        if not isinstance(value, Literal):
            types[value] |= {kind for prop, kind in rules.ranges if prop in above}
    world = _World(
        ontology, types, {term: {arc[1:] for arc in arcs if arc[0] == term} for term in types}
    )
    while world.grow():
        pass
    return world.types


@dataclass(slots=True)
class _World:
    """Vertices, seen and unseen, with the classes and properties known yet."""

    ontology: Ontology
    types: _Types
    arcs: dict[_Vertex, set[tuple[str, _Vertex]]]

    def grow(self) -> bool:
        """Apply definitions and necessary properties once; True if anything is new."""
        before = self._size()
        for vertex in [each for each in self.types if not isinstance(each, Literal | _Value)]:
            for name, meaning in self.ontology.rules.definitions:
                if self._meets(vertex, meaning):
                    self.types[vertex].add(name)
            for narrow, has in self.ontology.rules.necessary:
                if self._meets(vertex, narrow):
                    self._imagine(vertex, has)
        return before != self._size()

    def _size(self) -> tuple[int, int]:
        return sum(map(len, self.types.values())), sum(map(len, self.arcs.values()))

    def _imagine(self, vertex: _Vertex, has: Some | HasValue) -> None:
        if isinstance(has, HasValue):
            value = _Value(has.value)
            self.types[value] = {has.value.datatype if isinstance(has.value, Literal) else THING}
            self.arcs[value] = set()
            self.arcs[vertex].add((has.property, value))
            return
        unseen = _Unseen(has.filler)
        self.types.setdefault(unseen, set())
        self.arcs.setdefault(unseen, set())
        self.arcs[vertex].add((has.property, unseen))
        for part in _parts(has.filler):
            if isinstance(part, Named):
                self.types[unseen].add(part.name)
            elif isinstance(part, Some | HasValue):
                self.types[unseen].add(THING)  # a literal has no properties
                self._imagine(unseen, part)

    def _meets(self, vertex: _Vertex, meaning: Expression) -> bool:
        if vertex == _Unseen(meaning):
            return True
        match meaning:
            case Named(name):
                return self._is_a(vertex, name)
            case AllOf(parts):
                return all(self._meets(vertex, part) for part in parts)
            case AnyOf(parts):
                return any(self._meets(vertex, part) for part in parts)
            case Some(prop, filler):
                return any(self._meets(value, filler) for value in self._values(vertex, prop))
            case HasValue(prop, wanted):
                return any(_is_same(value, wanted) for value in self._values(vertex, prop))

    def _is_a(self, vertex: _Vertex, name: str) -> bool:
        term = vertex.term if isinstance(vertex, _Value) else vertex
        above = (
            self.ontology.superdatatypes
            if isinstance(term, Literal)
            else self.ontology.superclasses
        )
        return any(name in above(kind) for kind in self.types[vertex])

    def _values(self, vertex: _Vertex, prop: str) -> list[_Vertex]:
        return [
            value
            for used, value in self.arcs[vertex]
            if prop in self.ontology.superproperties(used)
        ]


def _parts(meaning: Expression) -> tuple[Expression, ...]:
    """Return the parts of an intersection, nested ones flattened."""
    if not isinstance(meaning, AllOf):
        return (meaning,)
    return tuple(part for each in meaning.parts for part in _parts(each))


def _is_same(vertex: _Vertex, wanted: Term) -> bool:
    value = vertex.term if isinstance(vertex, _Value) else vertex
    if isinstance(value, Literal) and isinstance(wanted, Literal):
        return same_value(value, wanted)
    return value == wanted
