"""The default strategy for graph patterns: equal shapes are one; few are searched.

Many shapes are ruled out at once. Adding a subscription touches only its own names, removing it
frees all state that only it used. Of events only the last one is kept, in numbers, for callers that
need its bindings.

Prefilter: rules JSON events out by names and values, before they are converted to a graph.

Most events have no member name, or no value, that any pattern uses. A pattern needs an arc of each
property of its statements, and a vertex for each of its constants. The graph of JSON has only the
arcs of its members, and no vertex with a name unless `@id` gives one. That holds if the ontology is
open and has nothing of its own: no rules, which infer arcs from arcs, no classes of values, and
nothing to warn about. Any other event is converted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.graphs.encoding import EncodedGraph, key_of
from tocsin.engine.graphs.index import OntologyIndex
from tocsin.engine.graphs.inference import encode_graph
from tocsin.engine.graphs.kernel import spread
from tocsin.engine.graphs.links import Numbers, shape_of
from tocsin.engine.graphs.solver import Solver
from tocsin.engine.graphs.work import LIMIT, GraphWork, Undecided
from tocsin.engine.index.growable import INT32, INT64, Growable, Postings
from tocsin.engine.index.matcher_parts import Hits, Keys, concatenate_hits
from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.events.views.document import ITEM, scalar_text
from tocsin.events.views.names import default_iri
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.warnings import VocabularyChecker
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.graphs import ITSELF, GraphPattern
from tocsin.values.media_types import RDF_TYPES, is_xml, media_type
from tocsin.values.terms import BOOLEAN, DOUBLE, INTEGER, STRING, Iri, Literal

Requirement = tuple[frozenset[str], frozenset[Hashable]]
"""Properties, and constants: literals by their value, IRIs as they are."""

MAX_REQUIREMENTS = 64
"""With more distinct needs it is faster to convert the event and use the index."""

_MAX_VALUES = 10_000
"""A document with more values is converted: it may be beyond the limit of a graph."""

_MAX_NAMES = 10_000
_GREAT = 10**18
_DATATYPES: dict[type, str] = {str: STRING, bool: BOOLEAN, int: INTEGER, float: DOUBLE}
_SPECIAL = ("@id", "@type")


class PatternRequirements:
    """The needs of the patterns under one ontology, each distinct one once."""

    __slots__ = ("_ontology", "_properties", "_requirements", "_settles")

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._requirements: Counter[Requirement] = Counter()
        self._properties: dict[str, frozenset[str]] = {}
        self._settles = ontology.open and not ontology.rules and not ontology.meta_statements

    def add(self, pattern: GraphPattern) -> None:
        """Add a pattern."""
        if self._settles:
            self._requirements[_requirement_of(pattern)] += 1

    def remove(self, pattern: GraphPattern) -> None:
        """Remove a pattern."""
        if self._settles:
            need = _requirement_of(pattern)
            self._requirements[need] -= 1
            if not self._requirements[need]:
                del self._requirements[need]

    def rules_out(self, event: Event) -> bool:
        """True if certainly no pattern matches the event, and it has a valid graph without
        warnings.
        """
        if (
            not self._settles
            or len(self._requirements) > MAX_REQUIREMENTS
            or not _is_plain_json(event)
        ):
            return False
        said = _stated_by(event.data)
        return said is not None and self._misses_all(*said)

    def _misses_all(self, names: set[str], values: list[object]) -> bool:
        """True if every pattern needs a name or value that is not among these."""
        had = frozenset[str]().union(*map(self._properties_of, names))
        left = [constants for properties, constants in self._requirements if properties <= had]
        if not left:
            return True
        if not all(left):
            return False
        there = {_key_of(scalar_text(each), _DATATYPES[type(each)]) for each in values}
        return not any(constants <= there for constants in left)

    def _properties_of(self, name: str) -> frozenset[str]:
        """Return the property of a member, with all above it."""
        known = self._properties.get(name)
        if known is None:
            if len(self._properties) >= _MAX_NAMES:
                self._properties.clear()
            used = self._ontology.property_named(name) or default_iri(name)
            known = self._properties[name] = self._ontology.superproperties(used)
        return known


def _requirement_of(pattern: GraphPattern) -> Requirement:
    """Return the need of a pattern; optional and absent groups need nothing."""
    properties = {each.property for each in pattern.statements} - {ITSELF}
    constants = [each for each in pattern.ids if isinstance(each, Iri | Literal)]
    return frozenset(properties), frozenset(map(key_of, constants))


def _stated_by(data: Any) -> tuple[set[str], list[object]] | None:
    """Return the names of all members and all scalars.

    None if the graph may have more, may be invalid, or may cause a warning.
    """
    names, values, waiting = set[str](), list[object](), list[Any]([data])
    for _ in range(_MAX_VALUES):
        if not waiting:
            return (names, values) if names.isdisjoint(_SPECIAL) else None
        value = waiting.pop()
        kind = type(value)
        if kind is dict:
            names.update(value)
            waiting += value.values()
        elif kind is list:
            if any(type(each) is list for each in value):
                names.add(ITEM)
            waiting += value
        elif kind in _DATATYPES and _is_small_scalar(value):
            values.append(value)
        elif value is not None:
            return None
    return None


def _is_small_scalar(value: object) -> bool:
    """True if a scalar is certainly a value of its datatype.

    False for infinity, or for a number that takes long to write.
    """
    return isinstance(value, str) or (isinstance(value, int | float) and -_GREAT < value < _GREAT)


@lru_cache(maxsize=10_000)
def _key_of(text: str, datatype: str) -> Hashable:
    return key_of(Literal(text, datatype))


def _is_plain_json(event: Event) -> bool:
    kind = media_type(event.envelope)
    return type(event.data) is dict and kind not in RDF_TYPES and not is_xml(kind)


_NO_SUBSCRIBERS = -1


class Subscribers:
    """The subscriptions of each shape, by slot."""

    __slots__ = ("_lists", "_slots")

    def __init__(self) -> None:
        self._lists = Growable(INT32)
        self._slots = Postings()

    def add(self, shape: int, slot: int) -> None:
        """Add a slot to those of a shape."""
        while shape >= len(self._lists):
            self._lists.append(_NO_SUBSCRIBERS)
        if self._lists[shape] == _NO_SUBSCRIBERS:
            self._lists[shape] = self._slots.new(slot)
        else:
            self._slots.append(self._lists[shape], slot)

    def remove(self, shape: int, slot: int) -> bool:
        """Remove a slot from a shape; True if it was the last."""
        last = self._slots.remove(self._lists[shape], slot)
        if last:
            self._lists[shape] = _NO_SUBSCRIBERS
        return last

    def of(self, shapes: Numbers) -> list[int]:
        """Return the slots of the shapes."""
        if not len(shapes):
            return []
        lists, counts = self._lists.array, self._slots.counts.array
        found = np.empty(counts[lists[shapes]].sum(), np.int64)
        spread(shapes, lists, self._slots.starts.array, counts, self._slots.pool.array, found)
        slots: list[int] = found.tolist()
        return slots


@dataclass(frozen=True, slots=True)
class PatternEntry:
    """A subscription: its pattern, and the number of its shape in the index of its ontology."""

    pattern: GraphPattern
    shape: int


@dataclass(frozen=True, slots=True)
class OntologySubscriptions:
    """The shapes under one ontology and their subscriptions."""

    index: OntologyIndex
    subscribers: Subscribers
    watch: VocabularyChecker
    needs: PatternRequirements


class GraphMatcher:
    """Graph patterns by key."""

    __slots__ = (
        "_added",
        "_by_ontology",
        "_entries",
        "_keys",
        "_last",
        "_limit",
        "_places",
        "refused",
        "undecided",
        "warned",
        "work",
    )

    def __init__(self, *, limit: int = LIMIT) -> None:
        self._limit = limit
        self._keys = Keys()
        self._entries: dict[int, PatternEntry] = {}
        self._places = Growable(INT64)
        self._added = 0
        self._by_ontology: dict[Ontology, OntologySubscriptions] = {}
        self._last: tuple[Event, Ontology, EncodedGraph] | None = None
        self.undecided: list[tuple[int, str]] = []
        """Events of the last batch, and keys, with an aborted search (`LIMIT`); they do not match.
        """
        self.refused: dict[int, EventProblem] = {}
        """Events of the last batch without a valid graph, with the reason."""
        self.warned: list[tuple[int, EventProblem]] = []
        """Warnings about events of the last batch, given an ontology; the events are processed
        anyway.
        """
        self.work = GraphWork()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def distinct_links(self) -> int:
        """Number of distinct links of all subscriptions."""
        return sum(len(shelf.index.links) for shelf in self._by_ontology.values())

    @property
    def distinct_shapes(self) -> int:
        """Number of distinct patterns, apart from names of variables."""
        return sum(len(shelf.index) for shelf in self._by_ontology.values())

    def key_of(self, slot: int) -> str:
        """Return the key of a slot."""
        return self._keys.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """Return the keys of slots, one by one."""
        return self._keys.keys_of(slots)

    def add(self, key: str, atom: GraphPattern) -> None:
        """Add a subscription; raise for a known key, and change nothing then."""
        slot = self._keys.add(key)
        shelf = self._by_ontology.get(atom.ontology)
        if shelf is None:
            shelf = self._by_ontology[atom.ontology] = OntologySubscriptions(
                OntologyIndex(atom.ontology, self.work),
                Subscribers(),
                VocabularyChecker(atom.ontology),
                PatternRequirements(atom.ontology),
            )
        shape = shape_of(atom)
        number = shelf.index.number(shape)
        if number is None:
            number = shelf.index.add(shape)
        shelf.subscribers.add(number, slot)
        shelf.needs.add(atom)
        self._entries[slot] = PatternEntry(atom, number)
        self._place(slot)

    def remove(self, key: str) -> None:
        """Remove a subscription and all state that only it used."""
        slot = self._keys.remove(key)
        entry = self._entries.pop(slot)
        self._last = None
        shelf = self._by_ontology[entry.pattern.ontology]
        shelf.needs.remove(entry.pattern)
        if shelf.subscribers.remove(entry.shape, slot):
            shelf.index.remove(entry.shape)
        if not len(shelf.index):
            del self._by_ontology[entry.pattern.ontology]
        if not self._entries:
            self._places, self._added, self.warned, self.refused = Growable(INT64), 0, [], {}

    def match(self, batch: EventBatch) -> Hits:
        """Return the subscriptions that match each event."""
        self.undecided, self.refused, self.warned = [], {}, []
        found = (self._match_one(i, batch.event(i)) for i in range(batch.size))
        hits = concatenate_hits([each for each in found if each is not None])
        self.work.events += batch.size
        self.work.hits += len(hits)
        return hits

    def rows(self, atom: GraphPattern, event: Event) -> Rows:
        """Return the row that a matching event binds; an empty row if the search is aborted."""
        if not atom.select:
            return NOTHING_BOUND
        try:
            return Solver(atom, self._encoded(event, atom.ontology), self._limit).rows()
        except EventProblem:
            return ()
        except Undecided:
            return NOTHING_BOUND

    def _place(self, slot: int) -> None:
        """Record the insertion order of a slot's subscription."""
        if slot == len(self._places):
            self._places.append(0)
        self._added += 1
        self._places[slot] = self._added

    def _encoded(self, event: Event, ontology: Ontology) -> EncodedGraph:
        """Return the event's graph in numbers, cached; raise EventProblem without a valid graph."""
        last = self._last
        if last is None or last[0] is not event or last[1] != ontology:
            last = self._last = (event, ontology, encode_graph(event, ontology))
        return last[2]

    def _match_one(self, i: int, event: Event) -> Hits | None:
        found = [
            slot
            for shelf in self._by_ontology.values()
            for slot in self._matching_slots(i, event, shelf)
        ]
        if not found:
            return None
        slots = np.array(found, np.int32)
        return Hits(np.full(len(slots), i, np.int32), slots[np.argsort(self._places.array[slots])])

    def _matching_slots(
        self, i: int, event: Event, subscriptions: OntologySubscriptions
    ) -> list[int]:
        if subscriptions.needs.rules_out(event):
            self.work.not_lifted += 1
            return []
        try:
            graph = self._encoded(event, subscriptions.index.links.ontology)
        except EventProblem as problem:
            self.refused.setdefault(i, problem)
            return []
        warnings = subscriptions.watch.warnings_in(graph.said.arcs, graph.said.types)
        self.warned += [(i, each) for each in warnings]
        asked = graph.filter_evaluations
        answers = subscriptions.index.answers(graph)
        slots = subscriptions.subscribers.of(answers.matching)
        for shape in answers.open:
            slots += self._decided(i, graph, subscriptions.subscribers.of(np.array([shape])))
        self._give_up(i, subscriptions.subscribers.of(np.array(answers.aborted, np.int64)))
        self.work.predicate_evaluations += graph.filter_evaluations - asked
        return slots

    def _decided(self, i: int, graph: EncodedGraph, slots: list[int]) -> list[int]:
        """Return the subscriptions of one shape if the thorough search finds a map, else none."""
        try:
            return (
                slots
                if Solver(self._entries[slots[0]].pattern, graph, self._limit).exists()
                else []
            )
        except Undecided:
            self._give_up(i, slots)
            return []

    def _give_up(self, i: int, slots: list[int]) -> None:
        self.work.undecided += len(slots)
        self.undecided += [(i, self._keys.key_of(slot)) for slot in slots]
