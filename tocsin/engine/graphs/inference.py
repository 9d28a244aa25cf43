"""Inference for one event by the rules of its ontology, with indexes (see knowledge/rules.py).

Each arc and each vertex is processed when something about it is new. Arcs follow from arcs alone,
so they come first; then the classes that arcs give; then definitions, which use the classes of a
vertex and of those it points to. The rules for a property are cached per property.

A vertex is tested again if it, or a vertex that it points to, got another class. Implied values of
a class are nodes outside the event, one per expression and created once per ontology: no event
changes what is known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.events.views.graph import Arc, Graph, graph_in
from tocsin.knowledge.hierarchy import Edge
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import MAX_INFERRED, AllOf, AnyOf, Expression, HasValue, Named, Some
from tocsin.values.terms import THING, Literal, Resource, Term, same_value


class InferredVertex:
    """A vertex, or an implied thing that meets an expression: all its classes, and its arcs."""

    __slots__ = ("arcs", "given", "kinds", "meaning", "pointing", "term")

    def __init__(self, term: Term | None = None, meaning: Expression | None = None) -> None:
        self.term = term
        self.meaning = meaning
        self.kinds: set[str] = set()
        """All its classes and those above them."""
        self.given: dict[Head, None] = {}
        """The classes from definitions, and the properties implied by an expression that it meets.
        """
        self.arcs: list[tuple[frozenset[str], InferredVertex]] = []
        self.pointing: list[InferredVertex] = []


Has: TypeAlias = Some | HasValue
Head: TypeAlias = str | Has
"""Consequence for a node that meets an expression: a class, or a value of a property."""


class ClassDefinitions:
    """The definitions of an ontology; false without any.

    Properties implied by a named class are found with the class; consequences of an expression are
    found like a definition.
    """

    __slots__ = ("_necessary", "_ontology", "_rules", "_unseen", "_values")

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._rules: list[tuple[Head, Expression]] = list(ontology.rules.definitions)
        self._necessary: dict[str, list[Has]] = {}
        self._unseen: dict[Expression, InferredVertex] = {}
        self._values: dict[Term, InferredVertex] = {}
        if not self._rules:
            return  # implied things matter to definitions only
        for narrow, has in ontology.rules.necessary:
            if isinstance(narrow, Named):
                self._necessary.setdefault(narrow.name, []).append(has)
            else:
                self._rules.append((has, narrow))
        for _, has in ontology.rules.necessary:
            self._value(has)
        self._settle(list(self._unseen.values()))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def apply(
        self,
        arcs: Iterable[Arc],
        types: Mapping[Term, Iterable[str]],
        kinds: dict[Term, dict[str, None]],
    ) -> None:
        """Add to `kinds` the classes that follow by definition from arcs, types and `kinds`."""
        nodes = {term: InferredVertex(term) for term in types}
        for term, node in nodes.items():
            for name in (*types[term], *kinds.get(term, ())):
                self._classify(node, name)
        for subject, used, value in arcs:
            nodes[subject].arcs.append((self._ontology.superproperties(used), nodes[value]))
            nodes[value].pointing.append(nodes[subject])
        resources = [node for node in nodes.values() if not isinstance(node.term, Literal)]
        for node in self._settle(resources):
            assert node.term is not None
            kinds.setdefault(node.term, {}).update(
                {name: None for name in node.given if isinstance(name, str)}
            )

    def _settle(self, nodes: list[InferredVertex]) -> list[InferredVertex]:
        """Apply definitions to nodes until nothing is new; return the nodes that changed."""
        waiting, changed = dict.fromkeys(nodes), dict[InferredVertex, None]()
        while waiting:
            node, _ = waiting.popitem()
            for head, meaning in self._rules:
                if head not in node.given and self._meets(node, meaning):
                    node.given[head] = None
                    changed[node] = None
                    if isinstance(head, str):
                        self._classify(node, head)
                    else:
                        self._point(node, head)
                    waiting |= dict.fromkeys((node, *node.pointing))
        return list(changed)

    def _classify(self, node: InferredVertex, name: str) -> None:
        """Add a class and those above it to the node, with their implied properties."""
        above = (
            self._ontology.superdatatypes
            if isinstance(node.term, Literal)
            else self._ontology.superclasses
        )
        for each in above(name) - node.kinds:
            node.kinds.add(each)
            if not isinstance(node.term, Literal):
                for has in self._necessary.get(each, ()):
                    self._point(node, has)

    def _point(self, node: InferredVertex, has: Has) -> None:
        value = self._value(has)
        node.arcs.append((self._ontology.superproperties(has.property), value))
        if node.term is None:  # implied things are the same for all events
            value.pointing.append(node)

    def _value(self, has: Has) -> InferredVertex:
        """Return the node of an implied value."""
        if isinstance(has, Some):
            return self._imagined(has.filler)
        node = self._values.get(has.value)
        if node is None:  # a node outside the event, whose statements about it are ignored
            node = self._values[has.value] = InferredVertex(term=has.value)
            node.kinds |= (
                self._ontology.superdatatypes(has.value.datatype)
                if isinstance(has.value, Literal)
                else self._ontology.superclasses(THING)
            )
        return node

    def _imagined(self, meaning: Expression) -> InferredVertex:
        """Return the node of an implied thing that meets an expression."""
        node = self._unseen.get(meaning)
        if node is None:
            node = self._unseen[meaning] = InferredVertex(meaning=meaning)
            self._furnish(node, meaning)
        return node

    def _furnish(self, node: InferredVertex, meaning: Expression) -> None:
        match meaning:
            case Named(name):
                self._classify(node, name)
            case AllOf(parts):
                for part in parts:
                    self._furnish(node, part)
            case Some() | HasValue():
                self._classify(node, THING)  # a literal has no properties
                self._point(node, meaning)
            case _:
                return

    def _meets(self, node: InferredVertex, meaning: Expression) -> bool:
        match meaning:
            case Named(name):
                return name in node.kinds
            case AllOf(parts):
                return node.meaning == meaning or all(self._meets(node, part) for part in parts)
            case AnyOf(parts):
                return node.meaning == meaning or any(self._meets(node, part) for part in parts)
            case Some(prop, filler):
                return _has(node, prop, lambda value: self._meets(value, filler))
            case HasValue(prop, wanted):
                return _has(node, prop, lambda value: _is(value, wanted)) or node.meaning == meaning


def _has(node: InferredVertex, prop: str, fits: Callable[[InferredVertex], bool]) -> bool:
    return any(prop in above and fits(value) for above, value in node.arcs)


def _is(node: InferredVertex, wanted: Term) -> bool:
    if isinstance(node.term, Literal) and isinstance(wanted, Literal):
        return same_value(node.term, wanted)
    return node.term is not None and node.term == wanted


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
