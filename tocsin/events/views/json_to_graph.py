"""Lifting of other data to a graph: an object is a blank node, a member a property, a scalar a
literal.

Null is ignored, an array repeats the property (an array inside an array is a node with `item`s).

A vocabulary may define names: the property, the class, and the values that a property has. A member
`type` or `@type` whose texts are classes of the vocabulary gives the object its classes, and so
does the type of the event for the home vertex; an object without a class is an owl:Thing. Without a
vocabulary every member is a property of the default one.

A JSON object with `@id` is the vertex of that name: objects with the same `@id` are one vertex,
whichever of them has the members, so that the graph may have several paths to a vertex, and cycles.
The `@id` of the outermost object names home. `@id` is a text and `@type` a text or a list of texts;
anything else is an EventProblem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from typing import Any, Protocol

from tocsin.events.views.document import ITEM, TEXT, scalar_text
from tocsin.events.views.names import default_iri, invalid_name_problem
from tocsin.values.terms import (
    ANY_LITERAL,
    BOOLEAN,
    DATATYPE_PARENT,
    DECIMAL,
    DOUBLE,
    FLOAT,
    HOME,
    INTEGER,
    RDF_TYPE,
    RDF_VALUE,
    STRING,
    Blank,
    Iri,
    Literal,
    Resource,
    Term,
    Triple,
    value_of,
)

_DATATYPES = {bool: BOOLEAN, int: INTEGER, float: DOUBLE}
_NUMBERS = (INTEGER, DECIMAL, DOUBLE, FLOAT)
_ID, _TYPE = "@id", "@type"
_TYPE_MEMBERS = ("type", _TYPE)
_PLAIN_LABEL = re.compile(r"(?!b[0-9]+$)[A-Za-z_][A-Za-z0-9_-]*")
_ABSOLUTE_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+')


class Vocabulary(Protocol):
    """Meanings of names. An ontology is one."""

    def property_named(self, name: str) -> str | None:
        """Return the property of a member name; None for the default one."""

    def class_named(self, name: str) -> str | None:
        """Return the class of a name, or None."""

    def resource_named(self, name: str) -> str | None:
        """Return the resource of a name that is not an IRI; None for the default one."""

    def value_classes(self, prop: str) -> frozenset[str]:
        """Return the classes and datatypes that the values of a property may have; empty if
        unknown.
        """


def json_to_triples(
    data: object, event_type: str, vocabulary: Vocabulary | None, *, marked: bool
) -> tuple[Resource, list[Triple]]:
    """Return the home vertex, `_:H` unless it has a name, and the triples in the order of the data.

    `marked` names are those of an XML event.
    """
    lift = _Lift(vocabulary, marked=marked or not isinstance(data, dict | list | tuple))
    members = (
        data if isinstance(data, dict) else {ITEM if isinstance(data, list | tuple) else TEXT: data}
    )
    home = lift.named(members) or HOME
    if vocabulary is not None and (kind := vocabulary.class_named(event_type)):
        lift.state(home, RDF_TYPE, Iri(kind))
    lift.describe(home, members)
    return home, list(lift.triples)


class _Lift:
    """The conversion of one event to triples, each kept once."""

    def __init__(self, vocabulary: Vocabulary | None, *, marked: bool) -> None:
        self.triples: dict[Triple, None] = {}
        self._vocabulary = vocabulary
        self._marked = marked
        self._numbers = count(1)

    def state(self, subject: Resource, prop: str, value: Term) -> None:
        self.triples[(subject, prop, value)] = None

    def describe(self, subject: Resource, members: dict[str, Any]) -> None:
        for name, value in members.items():
            if name == _ID and not self._marked:
                continue
            kinds = self._classes(name, value)
            for kind in kinds:
                self.state(subject, RDF_TYPE, Iri(kind))
            if not kinds:
                self._describe_member(subject, self._property(name), value)

    def _describe_member(self, subject: Resource, prop: str, value: Any) -> None:
        for item in _items(value):
            inner = {ITEM: item} if isinstance(item, list | tuple) else item
            if not isinstance(inner, dict):
                self.state(subject, prop, self._value(prop, inner))
                continue
            vertex = self.named(inner) or Blank(f"b{next(self._numbers)}")
            self.state(subject, prop, vertex)
            self.describe(vertex, inner)

    def named(self, members: dict[str, Any]) -> Resource | None:
        """Return the vertex of an object's `@id`; None if it has none. XML has no such members."""
        if _ID not in members or self._marked:
            return None
        name = members[_ID]
        if not isinstance(name, str) or not name:
            raise invalid_name_problem(_ID, name, "a text that is not empty")
        if name.startswith("_:"):
            return Blank(_label(name.removeprefix("_:")))
        known = None if self._vocabulary is None else self._vocabulary.resource_named(name)
        return Iri(known or (name if _ABSOLUTE_IRI.fullmatch(name) else default_iri(name)))

    def _classes(self, name: str, value: Any) -> list[str]:
        """Return the classes that a member gives its object; [] if it is an ordinary property."""
        if name == _TYPE and not self._marked:
            _refuse_other_types(value)
        if self._vocabulary is None or name not in _TYPE_MEMBERS:
            return []
        names = list(_items(value))
        found = [
            kind
            for each in names
            if isinstance(each, str) and (kind := self._vocabulary.class_named(each))
        ]
        return found if len(found) == len(names) else []

    def _property(self, name: str) -> str:
        """Return the property of a member; in XML `@` is dropped, and an element's own text is
        `rdf:value`.
        """
        if self._marked:
            if name == TEXT:
                return RDF_VALUE
            name = name.removeprefix("@")
        known = None if self._vocabulary is None else self._vocabulary.property_named(name)
        return known or default_iri(name)

    def _value(self, prop: str, value: object) -> Term:
        """Return the term in the value class of the property if the value fits, else the plain
        literal.
        """
        plain = Literal(scalar_text(value), _DATATYPES.get(type(value), STRING))
        known = frozenset() if self._vocabulary is None else self._vocabulary.value_classes(prop)
        datatypes = known & DATATYPE_PARENT.keys()
        if known and not datatypes and ANY_LITERAL not in known:
            is_iri = plain.datatype == STRING and _ABSOLUTE_IRI.fullmatch(plain.lexical)
            return Iri(plain.lexical) if is_iri else plain
        is_number = plain.datatype in _NUMBERS
        if plain.datatype in known and not is_number:
            return plain
        wanted = sorted(datatypes, key=lambda each: _preference(each, is_number=is_number))
        found = (_literal_of(plain.lexical, each, is_number=is_number) for each in wanted)
        return next((literal for literal in found if literal is not None), plain)


def _preference(datatype: str, *, is_number: bool) -> tuple[bool, int, str]:
    """Return the order of datatypes to try: numeric ones first for a number, then the narrowest."""
    above = _datatypes_above(datatype)
    return (is_number and above[-1] not in _NUMBERS, -len(above), datatype)


def _literal_of(lexical: str, datatype: str, *, is_number: bool) -> Literal | None:
    """Return the literal of a datatype for a text or a number of JSON; None if it is not valid.

    The notation of a number does not count: `350`, `350.0` and `3.5e2` of JSON are one number. A
    whole number of a decimal property is an integer, as `350` is in Turtle.
    """
    if _datatypes_above(datatype)[-1] != DECIMAL:
        return _if_valid(Literal(lexical, datatype))
    value = value_of(Literal(lexical, DOUBLE if is_number else DECIMAL))
    if value is None or not isinstance(value.content, Decimal) or not value.content.is_finite():
        return None
    whole = value.content.to_integral_value()
    if whole == value.content:
        return _if_valid(Literal(f"{whole:f}", INTEGER if datatype == DECIMAL else datatype))
    return _if_valid(Literal(f"{value.content:f}", datatype))


def _if_valid(literal: Literal) -> Literal | None:
    return None if value_of(literal) is None else literal


def _datatypes_above(datatype: str) -> list[str]:
    """Return the datatype and those that it is derived from, without rdfs:Literal."""
    found = [datatype]
    while (parent := DATATYPE_PARENT[found[-1]]) != ANY_LITERAL:
        found.append(parent)
    return found


def _label(name: str) -> str:
    """Return the label of a blank node that the event names: one to one, different from generated
    ones.
    """
    return (
        name if _PLAIN_LABEL.fullmatch(name) else f"n.{name.encode('utf-8', 'surrogatepass').hex()}"
    )


def _refuse_other_types(value: Any) -> None:
    for each in value if isinstance(value, list | tuple) else (value,):
        if not isinstance(each, str):
            raise invalid_name_problem(_TYPE, each, "a text or a list of texts")


def _items(value: Any) -> Iterator[Any]:
    """Return the items of an array, or the one value; null is skipped."""
    return (
        each
        for each in (value if isinstance(value, list | tuple) else (value,))
        if each is not None
    )
