"""Class definitions applied to the vertices of one event, until nothing changes.

A vertex is tested again if it, or a vertex that it points to, got another class. Implied values of
a class are nodes outside the event, one per expression and created once per ontology: no event
changes what is known of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from tocsin.events.views.graph import Arc
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import AllOf, AnyOf, Expression, HasValue, Named, Some
from tocsin.values.terms import THING, Literal, Term, same_value


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
