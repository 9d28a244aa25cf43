"""Definitions of classes applied to the vertices of one event: a vertex is asked again when it, or
a vertex that it points to, has become of another class.

What every member of a class has stands as a node beside the vertices, one for each expression and
made once for an ontology: nothing that an event says can change what is known of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tocsin.events.views.graph import Arc
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import AllOf, AnyOf, Expression, HasValue, Named, Some
from tocsin.values.terms import Literal, Term, same_value


class Node:
    """A vertex, or something unseen that meets an expression: all its classes, and where its arcs
    lead.
    """

    __slots__ = ("arcs", "given", "kinds", "meaning", "pointing", "term")

    def __init__(self, term: Term | None = None, meaning: Expression | None = None) -> None:
        self.term = term
        self.meaning = meaning
        self.kinds: set[str] = set()
        """By every name at or above."""
        self.given: dict[str, None] = {}
        """Those that definitions gave it."""
        self.arcs: list[tuple[frozenset[str], Node]] = []
        self.pointing: list[Node] = []


class Definitions:
    """The definitions of an ontology; false where there are none."""

    __slots__ = ("_definitions", "_necessary", "_ontology", "_unseen")

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._definitions = ontology.rules.definitions
        self._necessary: dict[str, list[Some]] = {}
        self._unseen: dict[Expression, Node] = {}
        for name, some in ontology.rules.necessary:
            self._necessary.setdefault(name, []).append(some)
        if self._definitions:
            for some in [each for group in self._necessary.values() for each in group]:
                self._imagined(some.filler)
            self._settle(list(self._unseen.values()))

    def __bool__(self) -> bool:
        return bool(self._definitions)

    def apply(
        self,
        arcs: Iterable[Arc],
        types: Mapping[Term, Iterable[str]],
        kinds: dict[Term, dict[str, None]],
    ) -> None:
        """Adds to `kinds` the classes that follow by definition from arcs, types and `kinds`."""
        nodes = {term: Node(term) for term in types}
        for term, node in nodes.items():
            for name in (*types[term], *kinds.get(term, ())):
                self._classify(node, name)
        for subject, used, value in arcs:
            nodes[subject].arcs.append((self._ontology.superproperties(used), nodes[value]))
            nodes[value].pointing.append(nodes[subject])
        resources = [node for node in nodes.values() if not isinstance(node.term, Literal)]
        for node in self._settle(resources):
            assert node.term is not None
            kinds.setdefault(node.term, {}).update(node.given)

    def _settle(self, nodes: list[Node]) -> list[Node]:
        """Gives nodes their classes until nothing is new; those that got one."""
        waiting, changed = dict.fromkeys(nodes), dict[Node, None]()
        while waiting:
            node, _ = waiting.popitem()
            for name, meaning in self._definitions:
                if name not in node.given and self._meets(node, meaning):
                    node.given[name] = None
                    changed[node] = None
                    self._classify(node, name)
                    waiting |= dict.fromkeys((node, *node.pointing))
        return list(changed)

    def _classify(self, node: Node, name: str) -> None:
        """Makes the node one of a class and those above it, with what they necessarily have."""
        above = (
            self._ontology.superdatatypes
            if isinstance(node.term, Literal)
            else self._ontology.superclasses
        )
        for each in above(name) - node.kinds:
            node.kinds.add(each)
            for some in self._necessary.get(each, ()):
                self._point(node, some)

    def _point(self, node: Node, some: Some) -> None:
        unseen = self._imagined(some.filler)
        node.arcs.append((self._ontology.superproperties(some.property), unseen))
        if node.term is None:  # what is unseen is settled for all events
            unseen.pointing.append(node)

    def _imagined(self, meaning: Expression) -> Node:
        """The node of something that meets an expression."""
        node = self._unseen.get(meaning)
        if node is None:
            node = self._unseen[meaning] = Node(meaning=meaning)
            self._furnish(node, meaning)
        return node

    def _furnish(self, node: Node, meaning: Expression) -> None:
        match meaning:
            case Named(name):
                self._classify(node, name)
            case AllOf(parts):
                for part in parts:
                    self._furnish(node, part)
            case Some():
                self._point(node, meaning)
            case _:
                return

    def _meets(self, node: Node, meaning: Expression) -> bool:
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


def _has(node: Node, prop: str, fits: Callable[[Node], bool]) -> bool:
    return any(prop in above and fits(value) for above, value in node.arcs)


def _is(node: Node, wanted: Term) -> bool:
    if isinstance(node.term, Literal) and isinstance(wanted, Literal):
        return same_value(node.term, wanted)
    return node.term is not None and node.term == wanted
