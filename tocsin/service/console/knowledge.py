"""Names for authors: the attributes of events, and the class tree of ontologies.

An attribute has its path as written in a subscription, the types of its values, how often it
occurs, and examples. A class has the number of events at or below it, and the number of
subscriptions that name it.

RDF classes are identified by their IRIs, concepts of a TBox by their names, which are the texts in
events.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tocsin.catalog import Subscription
from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.events.views.graph import graph_in
from tocsin.knowledge.concepts.axioms import Specialisation
from tocsin.knowledge.concepts.concept import Concept, Conjunction, Disjunction, Enumeration, Symbol
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import Ontology, builtin_classes, builtin_properties, local_name
from tocsin.plan.explain.atoms import path_text
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.values.scalars import ENVELOPE, Path

_WORD = re.compile(r"\w[\w-]*")
MAX_WORDS = 500
"""Values of one event that are examined."""


@dataclass(slots=True)
class ClassTree:
    """Classes with their direct superclasses, by IRI or name."""

    parents: dict[str, set[str]] = field(default_factory=dict)

    def add(self, name: str, above: Iterable[str] = ()) -> None:
        """Add a class with direct superclasses."""
        self.parents.setdefault(name, set())
        for each in above:
            self.parents.setdefault(each, set())
            if each != name:
                self.parents[name].add(each)

    def upwards(self, names: Iterable[str]) -> set[str]:
        """Return the known classes among the names, and all their superclasses."""
        waiting = [each for each in names if each in self.parents]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.parents[name]
        return found


def class_tree(words: Ontology | None) -> ClassTree:
    """Return the classes of an ontology and the concepts of its TBox, without built-in ones."""
    tree = ClassTree()
    if words is not None:
        builtin = builtin_classes().names()
        for name, above in words.class_order.parents.items():
            if name not in builtin:
                tree.add(name, (each for each in above if each not in builtin))
        if isinstance(words.tbox, TBox):
            _add_concepts(tree, words.tbox)
    return tree


def terms_of(words: Ontology | None) -> list[dict[str, str]]:
    """Return the terms for subscriptions: classes, properties, concepts and roles."""
    if words is None:
        return []
    known = set(class_tree(words).parents)
    known |= words.properties - builtin_properties().names()
    if isinstance(words.tbox, TBox):
        known |= {*words.tbox.roles, *words.tbox.known_individuals}
    return [{"iri": each, "label": local_name(each) or each} for each in sorted(known)]


def describe_knowledge(
    words: Ontology | None,
    events: Iterable[Event],
    plans: Iterable[tuple[Subscription, Plan]],
) -> list[dict[str, Any]]:
    """Return the class tree with its counts as JSON."""
    tree = class_tree(words)
    at: Counter[str] = Counter()
    if words is not None and tree.parents:
        for event in events:
            at.update(tree.upwards(_classes_of(event, words)))
    named: Counter[str] = Counter()
    for subscription, plan in plans:
        named.update(tree.parents.keys() & set(_names_in(subscription, plan)))
    return [
        {
            "iri": name,
            "label": local_name(name) or name,
            "parents": sorted(above),
            "events": at[name],
            "subscriptions": named[name],
        }
        for name, above in sorted(tree.parents.items())
    ]


def _add_concepts(tree: ClassTree, tbox: TBox) -> None:
    for axiom in tbox.axioms:
        tree.add(axiom.name)
        for each in _operands(axiom.concept, Disjunction):
            if not isinstance(axiom, Specialisation) and not isinstance(axiom.concept, Symbol):
                for below in _named_in(each):
                    tree.add(below, [axiom.name])
        above = [
            each.name
            for each in _operands(axiom.concept, Conjunction)
            if isinstance(each, Symbol) and not isinstance(axiom.concept, Disjunction)
        ]
        tree.add(axiom.name, above)


def _operands(concept: Concept, kind: type[Conjunction | Disjunction]) -> tuple[Concept, ...]:
    """Return the operands of a concept of that kind; any other concept is its only operand."""
    return concept.operands if isinstance(concept, kind) else (concept,)


def _named_in(concept: Concept) -> tuple[str, ...]:
    match concept:
        case Symbol(name):
            return (name,)
        case Enumeration(elements):
            return elements
        case _:
            return ()


def _classes_of(event: Event, words: Ontology) -> set[str]:
    """Return the classes of an event and of the resources in it."""
    found: set[str] = set()
    try:
        for classes in graph_in(event, words).types.values():
            for name in classes:
                found |= words.superclasses(name)
        if isinstance(words.tbox, TBox):
            texts = (event.type, *_texts(event.attributes))
            found |= {words.tbox.resolved(text) for text in texts}
    except Problem:
        return found
    return found


def _texts(members: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts in the data of an event; at most MOST_WORDS values are examined."""
    waiting: list[Any] = [members]
    count = 0
    while waiting and count < MAX_WORDS:
        value = waiting.pop()
        count += 1
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _names_in(subscription: Subscription, plan: Plan) -> Iterator[str]:
    """Yield the classes that a subscription names.

    These are the classes of its graph patterns. As concepts are expanded in a plan, those are taken
    from the words of its text.
    """
    has_concepts = False
    for atom in atoms_of(plan.pattern):
        if isinstance(atom, GraphPattern):
            for group in (atom.statements, *atom.optionals, *atom.absents):
                for each in group:
                    yield from (each.subject_class, each.object_class)
        has_concepts = has_concepts or isinstance(atom, ConceptTest)
    if has_concepts and isinstance(subscription.expression, str):
        yield from _WORD.findall(subscription.expression)


EXAMPLES = 5
MAX_PATHS = 2_000
DEEPEST = 8
LONGEST_EXAMPLE = 80

_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", list: "list"}


@dataclass(slots=True)
class _Seen:
    types: set[str] = field(default_factory=set)
    count: int = 0
    examples: dict[object, None] = field(default_factory=dict)

    def note(self, value: object) -> None:
        self.types.add(_TYPES.get(type(value), "other"))
        self.count += 1
        if len(self.examples) < EXAMPLES and isinstance(value, str | int | float):
            shown = value[:LONGEST_EXAMPLE] if isinstance(value, str) else value
            self.examples[shown] = None


def attributes_seen(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the attributes of events, the most frequent first."""
    seen: dict[Path, _Seen] = {}
    for event in events:
        for path, value in _paths(event):
            if path in seen or len(seen) < MAX_PATHS:
                seen.setdefault(path, _Seen()).note(value)
    told = [
        {
            "path": path_text(path),
            "types": sorted(each.types),
            "count": each.count,
            "examples": list(each.examples),
        }
        for path, each in seen.items()
    ]
    return sorted(told, key=lambda each: (-each["count"], each["path"]))


def _paths(event: Event) -> Iterator[tuple[Path, Any]]:
    """Yield every path of an event that leads to a value, envelope attributes included."""
    with suppress(Problem):
        yield from _inside((), event.attributes)
    for name, value in event.envelope.items():
        yield (ENVELOPE, name), value


def _inside(path: Path, members: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    for name, value in members.items():
        inner = (*path, name)
        if isinstance(value, dict):
            if len(inner) < DEEPEST:
                yield from _inside(inner, value)
        elif value is not None and name:
            yield inner, value
