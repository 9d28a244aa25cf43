"""Inference for one event by the rules of its ontology, with indexes (see knowledge/rules.py).

Each arc and each vertex is processed when something about it is new. Arcs follow from arcs alone,
so they come first; then the classes that arcs give; then definitions, which use the classes of a
vertex and of those it points to. The rules for a property are cached per property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from tocsin.engine.graphs.class_definitions import ClassDefinitions
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.events.views.graph import Arc, Graph, graph_in
from tocsin.knowledge.hierarchy import Edge
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import MAX_INFERRED
from tocsin.values.terms import Literal, Resource, Term

Kinds = dict[Term, dict[str, None]]
"""Inferred classes, by vertex, each once."""


def encode_graph(event: Event, ontology: Ontology) -> EncodedGraph:
    """Return the event's graph in numbers, with all inferred facts.

    Raises EventProblem without a valid graph.
    """
    said = graph_in(event, ontology)
    return EncodedGraph(enrich_graph(said, ontology), said)


def enrich_graph(graph: Graph, ontology: Ontology) -> Graph:
    """Return the graph with all inferred facts; raise EventProblem above the limit."""
    return _inference(ontology).of(graph) if ontology.rules else graph


@lru_cache(maxsize=8)
def _inference(ontology: Ontology) -> Inference:
    return Inference(ontology)


class Inference:
    """The rules of one ontology, prepared for use."""

    __slots__ = ("_definitions", "_domains", "_inverses", "_ranges", "_transitive")

    def __init__(self, ontology: Ontology) -> None:
        rules = ontology.rules
        self._inverses = _ByProperty(rules.inverses, ontology)
        self._transitive = _ByProperty(((each, each) for each in rules.transitive), ontology)
        self._domains = _ByProperty(rules.domains, ontology)
        self._ranges = _ByProperty(rules.ranges, ontology)
        self._definitions = ClassDefinitions(ontology)

    def of(self, graph: Graph) -> Graph:
        """Return the graph with all inferred facts."""
        arcs = graph.arcs
        if self._inverses or self._transitive:
            arcs = (*arcs, *_Closure(arcs, self._inverses, self._transitive).fresh)
        kinds: Kinds = {}
        if self._domains or self._ranges:
            self._classify(arcs, kinds)
        if self._definitions:
            self._definitions.apply(arcs, graph.types, kinds)
        types = {
            term: tuple(dict.fromkeys((*known, *kinds.get(term, ()))))
            for term, known in graph.types.items()
        }
        return Graph(graph.home, arcs, types)

    def _classify(self, arcs: Iterable[Arc], kinds: Kinds) -> None:
        """Add the classes from domains and ranges."""
        for subject, used, value in arcs:
            if domains := self._domains.of(used):
                kinds.setdefault(subject, {}).update(domains)
            if not isinstance(value, Literal) and (ranges := self._ranges.of(used)):
                kinds.setdefault(value, {}).update(ranges)


class _ByProperty:
    """The rules for a property and those above it, cached."""

    __slots__ = ("_known", "_ontology", "_stated")

    def __init__(self, pairs: Iterable[Edge], ontology: Ontology) -> None:
        self._ontology = ontology
        self._stated: dict[str, list[str]] = {}
        self._known: dict[str, dict[str, None]] = {}
        for prop, what in pairs:
            self._stated.setdefault(prop, []).append(what)

    def __bool__(self) -> bool:
        return bool(self._stated)

    def of(self, used: str) -> dict[str, None]:
        found = self._known.get(used)
        if found is None:
            above = sorted(self._ontology.superproperties(used))
            found = self._known[used] = {
                what: None for each in above for what in self._stated.get(each, ())
            }
        return found


class _Closure:
    """The arcs that follow from arcs: a new arc is inverted, and joined with adjacent ones."""

    __slots__ = ("_after", "_before", "_inverses", "_known", "_transitive", "fresh")

    def __init__(self, arcs: Iterable[Arc], inverses: _ByProperty, transitive: _ByProperty) -> None:
        self._inverses = inverses
        self._transitive = transitive
        self._known: set[Arc] = set(arcs)
        self._after: dict[tuple[str, Term], dict[Term, None]] = {}
        self._before: dict[tuple[str, Term], dict[Resource, None]] = {}
        self.fresh: list[Arc] = []
        for arc in arcs:
            self._follow(arc)
        for arc in self.fresh:
            self._follow(arc)

    def _follow(self, arc: Arc) -> None:
        subject, used, value = arc
        if not isinstance(value, Literal):
            for inverse in self._inverses.of(used):
                self._add((value, inverse, subject))
        for prop in self._transitive.of(used):
            for start, end in list(self._join_pairs(prop, subject, value)):
                self._add((start, prop, end))

    def _join_pairs(
        self, prop: str, subject: Resource, value: Term
    ) -> Iterator[tuple[Resource, Term]]:
        """Yield the pairs that a new pair of a transitive property makes with those before."""
        after = self._after.setdefault((prop, subject), {})
        if value in after:
            return
        after[value] = None
        self._before.setdefault((prop, value), {})[subject] = None
        yield from ((subject, end) for end in self._after.get((prop, value), ()))
        yield from ((start, value) for start in self._before.get((prop, subject), ()))

    def _add(self, arc: Arc) -> None:
        if arc in self._known:
            return
        self._known.add(arc)
        self.fresh.append(arc)
        if len(self._known) > MAX_INFERRED:
            raise EventProblem(
                f"more than {MAX_INFERRED:,} arcs follow from the event",
                code="EVENT_TOO_LARGE",
                hint="send it as several events, or leave out infer: inverse",
            )
