"""Prefilter: rules JSON events out by names and values, before they are converted to a graph.

Most events have no member name, or no value, that any pattern uses. A pattern needs an arc of each
property of its statements, and a vertex for each of its constants. The graph of JSON has only the
arcs of its members, and no vertex with a name unless `@id` gives one. That holds if the ontology is
open and has nothing of its own: no rules, which infer arcs from arcs, no classes of values, and
nothing to warn about. Any other event is converted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from tocsin.engine.graphs.encoding import key_of
from tocsin.events.event import Event
from tocsin.events.views.document import ITEM, scalar_text
from tocsin.events.views.names import default_iri
from tocsin.knowledge.ontology import Ontology
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
