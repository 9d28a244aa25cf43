"""OWL 2 class expressions as concepts, read from the triples about a node.

Supported: intersection, union, complement, oneOf, some and all values, hasValue, and datatypes with
facets. Anything else raises `UnsupportedExpression`, and the reader of an axiom leaves it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation

from tocsin.errors import MeaningProblem
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    Value,
    enumeration,
)
from tocsin.knowledge.concepts.datatypes import XSD, datatype, datatype_name
from tocsin.values.scalars import canonical_number
from tocsin.values.terms import OWL, RDF, Blank, Iri, Literal, Resource, Term

FIRST, REST, NIL = RDF + "first", RDF + "rest", RDF + "nil"
CONNECTIVES = tuple(OWL + name for name in ("intersectionOf", "unionOf", "complementOf", "oneOf"))
_FACETS = {
    XSD + "minInclusive": ">=",
    XSD + "minExclusive": ">",
    XSD + "maxInclusive": "<=",
    XSD + "maxExclusive": "<",
}
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_ANY: dict[str, Value] = {
    "boolean": True,
    "dateTime": "2000-01-01T00:00:00Z",
    "dateTimeStamp": "2000-01-01T00:00:00Z",
    "date": "2000-01-01",
}
_TEXTS = ("string", "anyURI")


class UnsupportedExpression(Exception):
    """Raised for an expression that the language cannot express."""


class TripleIndex:
    """The triples of a text, by subject and property; equal named classes share one name."""

    def __init__(self, triples: Iterable[tuple[Resource, str, Term]]) -> None:
        self._values: dict[Resource, dict[str, list[Term]]] = {}
        for subject, prop, value in triples:
            self._values.setdefault(subject, {}).setdefault(prop, []).append(value)
        self.same = self._same_names()

    def name(self, iri: Iri) -> str:
        """Return the name of a class: that of the first of its equals."""
        return self.same.get(iri.text, iri.text)

    def _same_names(self) -> dict[str, str]:
        groups: dict[str, set[str]] = {}
        for one, other in self.pairs(OWL + "equivalentClass"):
            if isinstance(one, Iri) and isinstance(other, Iri):
                whole = groups.get(one.text, {one.text}) | groups.get(other.text, {other.text})
                groups |= dict.fromkeys(whole, whole)
        return {each: min(group) for each, group in groups.items() if each != min(group)}

    def values(self, subject: Term, prop: str) -> list[Term]:
        """Return the values of a property."""
        return [] if isinstance(subject, Literal) else self._values.get(subject, {}).get(prop, [])

    def one(self, subject: Term, prop: str) -> Term | None:
        """Return the only value of a property; None without a value or with several."""
        found = self.values(subject, prop)
        return found[0] if len(found) == 1 else None

    def pairs(self, prop: str) -> Iterator[tuple[Resource, Term]]:
        """Return an iterator over all subjects and values of a property."""
        return ((who, value) for who, said in self._values.items() for value in said.get(prop, ()))

    def listed(self, head: Term) -> list[Term]:
        """Return the items of an RDF list; raise Beyond if it is not a list."""
        found: list[Term] = []
        seen: set[Term] = set()
        while head != Iri(NIL):
            item, rest = self.one(head, FIRST), self.one(head, REST)
            if item is None or rest is None or head in seen:
                raise UnsupportedExpression
            seen.add(head)
            found.append(item)
            head = rest
        return found


def concept_of(node: TripleIndex, term: Term) -> Concept:
    """Return the concept of a class expression."""
    if isinstance(term, Iri):
        return _named(node, term)
    if isinstance(term, Literal):
        raise UnsupportedExpression
    connected = [
        _connected(node, prop, value) for prop in CONNECTIVES for value in node.values(term, prop)
    ]
    if len(connected) == 1:
        return connected[0]
    return (
        _restricted_type(node, term)
        if node.values(term, OWL + "onDatatype")
        else _restriction(node, term)
    )


def definitions_of(node: TripleIndex, term: Resource) -> list[Concept]:
    """Return the concepts that a named class has by connectives of its own."""
    return [
        _connected(node, prop, value) for prop in CONNECTIVES for value in node.values(term, prop)
    ]


def _named(node: TripleIndex, term: Iri) -> Concept:
    iri = term.text
    if iri == OWL + "Thing":
        return Thing()
    if iri == OWL + "Nothing":
        return Nothing()
    short = datatype_name(iri)
    if short is None:
        return Symbol(node.name(term))
    some = _ANY.get(short, "" if short in _TEXTS else _smallest(short))
    return Disjunction((datatype(short, "=", some), datatype(short, "!=", some)))


def _smallest(short: str) -> int:
    return {"positiveInteger": 1, "negativeInteger": -1}.get(short, 0)


def _connected(node: TripleIndex, prop: str, value: Term) -> Concept:
    match prop.removeprefix(OWL):
        case "intersectionOf":
            return Conjunction(tuple(concept_of(node, each) for each in node.listed(value)))
        case "unionOf":
            return Disjunction(tuple(concept_of(node, each) for each in node.listed(value)))
        case "complementOf":
            return Complement(concept_of(node, value))
        case _:
            return _one_of(node.listed(value))


def _one_of(items: list[Term]) -> Concept:
    if items and all(isinstance(each, Iri) for each in items):
        return enumeration(each.text for each in items if isinstance(each, Iri))
    if items and all(isinstance(each, Literal) for each in items):
        return Disjunction(tuple(_equal(each) for each in items if isinstance(each, Literal)))
    raise UnsupportedExpression


def _restriction(node: TripleIndex, term: Term) -> Concept:
    role = node.one(term, OWL + "onProperty")
    if not isinstance(role, Iri):
        raise UnsupportedExpression
    some, only = node.one(term, OWL + "someValuesFrom"), node.one(term, OWL + "allValuesFrom")
    value = node.one(term, OWL + "hasValue")
    if some is not None:
        return Exists(role.text, concept_of(node, some))
    if only is not None:
        return ForAll(role.text, concept_of(node, only))
    if isinstance(value, Iri):
        return Exists(role.text, enumeration((value.text,)))
    if isinstance(value, Literal):
        return Exists(role.text, _equal(value))
    raise UnsupportedExpression


def _restricted_type(node: TripleIndex, term: Blank | Iri) -> Concept:
    base, facets = node.one(term, OWL + "onDatatype"), node.one(term, OWL + "withRestrictions")
    short = datatype_name(base.text) if isinstance(base, Iri) else None
    if short is None or facets is None:
        raise UnsupportedExpression
    found = []
    for each in node.listed(facets):
        limits = [
            (rel, value) for facet, rel in _FACETS.items() for value in node.values(each, facet)
        ]
        if not limits:
            raise UnsupportedExpression
        found += [
            _datatype(short, rel, value) for rel, value in limits if isinstance(value, Literal)
        ]
    return Conjunction(tuple(found))


def _equal(literal: Literal) -> Concept:
    short = datatype_name(literal.datatype)
    if short is None:
        raise UnsupportedExpression
    return _datatype(short, "=", literal)


def _datatype(short: str, relation: str, literal: Literal) -> Concept:
    try:
        return datatype(short, relation, _value(short, literal.lexical))
    except (MeaningProblem, InvalidOperation, KeyError):
        raise UnsupportedExpression from None


def _value(short: str, lexical: str) -> Value:
    if short == "boolean":
        return _TRUTHS[lexical]
    if short in (*_TEXTS, *_ANY):
        return lexical
    return canonical_number(Decimal(lexical))
