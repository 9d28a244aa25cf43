"""Ontologies, events and graph subscriptions drawn from a seed: the generator of spec 6, and what
the paper left out.

An event is a random recursive tree of 50 vertices with six more arcs; a subscription is one of 10
vertices with two more. For each of the events 3 % of the subscriptions are planted, that is, grown
along its arcs from home; the rest is drawn without looking at any event.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.knowledge.ontology import MetaStatement, Ontology, builtin_classes, builtin_properties
from tocsin.plan.nodes.graphs import GraphPattern, Home, StatementPattern, Variable, Vertex
from tocsin.values.terms import RDF_TYPE

EVENTS = 10
ROOTS = 10
PLANTED = 0.03
VERTICES, MORE_ARCS = 50, 6
PATTERN_VERTICES, PATTERN_ARCS = 10, 11
_NAMESPACE = "urn:bench:"

Arc: TypeAlias = tuple[int, str, int]


class Kind(Enum):
    """The paper's model, or what it never measured."""

    PAPER = "paper"
    INHERITANCE = "inheritance"
    MULTI_TYPED = "multi-typed"
    DIAMONDS = "diamonds"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A graph: the classes of its vertices, of which the first is home, and its arcs."""

    classes: tuple[tuple[str, ...], ...]
    arcs: tuple[Arc, ...]


class GraphWorkload:
    """The same seed gives the same workload."""

    def __init__(self, kind: Kind, subscriptions: int, seed: int, events: int = EVENTS) -> None:
        self.kind = kind
        self.subscriptions = subscriptions
        self._random = random.Random(f"{seed} {kind.value} {subscriptions}")
        self._parents = dict(_parents(kind))
        self._properties = self._dealt()
        self.graphs = [self._graph(VERTICES, MORE_ARCS) for _ in range(events)]

    @cached_property
    def ontology(self) -> Ontology:
        """The classes; every property belongs to two of the roots, its values are free."""
        dealt = [(root, used) for root, own in self._properties.items() for used in own]
        known = tuple(
            MetaStatement(root, used, other) for root, used in dealt for other in _roots()
        )
        properties = builtin_properties({used: () for _, used in dealt})
        return Ontology(builtin_classes(self._parents), properties, meta_statements=known)

    def events(self) -> list[Event]:
        """The events, their graphs not yet read."""
        return [_event(graph, number) for number, graph in enumerate(self.graphs)]

    def patterns(self) -> list[GraphPattern]:
        """The subscriptions, planted ones among the others."""
        planted = round(self.subscriptions * PLANTED)
        drawn = [self._planted(graph) for graph in self.graphs for _ in range(planted)][
            : self.subscriptions
        ]
        drawn += [self._graph(PATTERN_VERTICES, 2) for _ in range(self.subscriptions - len(drawn))]
        if self.kind is Kind.REPEATED:
            kept = self._random.sample(drawn, max(1, len(drawn) // 10))
            drawn = [self._random.choice(kept) for _ in drawn]
        self._random.shuffle(drawn)
        return [self._pattern(graph) for graph in drawn]

    def _dealt(self) -> dict[str, tuple[str, str]]:
        """Each of ten properties to exactly two roots, two different ones to each."""
        while True:
            cards = [f"{_NAMESPACE}p{number}" for number in range(ROOTS)] * 2
            self._random.shuffle(cards)
            hands = list(zip(cards[::2], cards[1::2], strict=True))
            if all(one != other for one, other in hands):
                return dict(zip(_roots(), hands, strict=True))

    def _graph(self, vertices: int, more: int) -> Drawn:
        choose, names = self._random, list(self._parents)
        each = 2 if self.kind is Kind.MULTI_TYPED else 1
        classes = tuple(tuple(choose.sample(names, each)) for _ in range(vertices))
        joined = [(choose.randrange(place), place) for place in range(1, vertices)]
        while len(joined) < vertices - 1 + more:
            pair = (choose.randrange(vertices), choose.randrange(vertices))
            if pair[0] != pair[1] and pair not in joined:
                joined.append(pair)
        return Drawn(
            classes, tuple((start, self._property(classes[start]), end) for start, end in joined)
        )

    def _property(self, classes: Sequence[str]) -> str:
        """One that the vertex may have."""
        roots = [each for kind in classes for each in self._above(kind) if each in self._properties]
        return self._random.choice([used for root in roots for used in self._properties[root]])

    def _above(self, kind: str) -> list[str]:
        """A class and all above it."""
        found = [kind]
        for each in found:
            found += [parent for parent in self._parents[each] if parent not in found]
        return found

    def _planted(self, graph: Drawn) -> Drawn:
        """Grown from home along arcs, with further arcs between what was reached; classes may be
        higher ones.
        """
        chosen, arcs = [0], list[Arc]()
        while len(chosen) < PATTERN_VERTICES:
            open_arcs = [arc for arc in graph.arcs if arc[0] in chosen and arc[2] not in chosen]
            if not open_arcs:
                break
            arcs.append(self._random.choice(open_arcs))
            chosen.append(arcs[-1][2])
        inner = [
            arc for arc in graph.arcs if arc[0] in chosen and arc[2] in chosen and arc not in arcs
        ]
        arcs += self._random.sample(inner, min(len(inner), PATTERN_ARCS - len(arcs)))
        places = {vertex: place for place, vertex in enumerate(chosen)}
        kinds = (self._above(self._random.choice(graph.classes[each])) for each in chosen)
        classes = tuple((self._random.choice(each),) for each in kinds)
        return Drawn(
            classes, tuple((places[start], used, places[end]) for start, used, end in arcs)
        )

    def _pattern(self, graph: Drawn) -> GraphPattern:
        ids: list[Vertex] = [
            Home(),
            *(Variable(str(place)) for place in range(1, len(graph.classes))),
        ]
        chosen = [self._random.choice(each) for each in graph.classes]
        said = (
            StatementPattern(ids[start], ids[end], chosen[start], used, chosen[end])
            for start, used, end in graph.arcs
        )
        return GraphPattern(tuple(said), self.ontology)


def _roots() -> list[str]:
    return [f"{_NAMESPACE}c{number}" for number in range(ROOTS)]


def _parents(kind: Kind) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Ten classes; or below each of them three, and below these six: a hundred on three levels."""
    roots = _roots()
    yield from ((root, ()) for root in roots)
    if kind not in (Kind.INHERITANCE, Kind.DIAMONDS):
        return
    second = kind is Kind.DIAMONDS
    middle = [f"{root}m{number}" for root in roots for number in range(3)]
    for place, each in enumerate(middle):
        yield each, (roots[place // 3], *([roots[(place // 3 + 1) % ROOTS]] if second else []))
    for place in range(2 * len(middle)):
        parent, other = middle[place // 2], middle[(place // 2 + 1) % len(middle)]
        yield f"{parent}l{place % 2}", (parent, *([other] if second else []))


def _event(graph: Drawn, number: int) -> Event:
    names = ["<urn:ops:H>", *(f"_:v{place}" for place in range(1, len(graph.classes)))]
    lines = [
        f"{names[place]} <{RDF_TYPE}> <{each}> ."
        for place, own in enumerate(graph.classes)
        for each in own
    ]
    lines += [f"{names[start]} <{used}> {names[end]} ." for start, used, end in graph.arcs]
    body = {"specversion": "1.0", "id": f"e{number}", "source": "bench", "type": "graph"}
    return from_mapping(
        body | {"datacontenttype": "application/n-triples", "data": "\n".join(lines)}
    )
