"""The rules that an RDF text states: domains and ranges, inverse properties, and class expressions.

An expression that the rules cannot say (a complement, a universal restriction) gives no definition;
what a class necessarily has is taken as far as it is understood. Restrictions are on named
properties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tocsin.knowledge.hierarchy import Edge
from tocsin.knowledge.rules import AllOf, AnyOf, Expression, HasValue, Infer, Named, Rules, Some
from tocsin.knowledge.statements import Triples
from tocsin.values.terms import ANY_LITERAL, OWL, RDF_TYPE, RDFS, THING, Blank, Iri, Literal, Term

_SUB_CLASS, _SAME_CLASS = RDFS + "subClassOf", OWL + "equivalentClass"
_AND, _OR = OWL + "intersectionOf", OWL + "unionOf"
_DEEPEST = 32
_ANYTHING = AnyOf((Named(THING), Named(ANY_LITERAL)))

Pair = TypeVar("Pair", bound=tuple[object, ...])


@dataclass(slots=True)
class Axioms:
    """What one text or several state, in the names of the text."""

    domains: set[Edge] = field(default_factory=set)
    ranges: set[Edge] = field(default_factory=set)
    inverses: set[Edge] = field(default_factory=set)
    transitive: set[str] = field(default_factory=set)
    definitions: set[tuple[str, Expression]] = field(default_factory=set)
    necessary: set[tuple[str, Some]] = field(default_factory=set)

    def add(self, other: Axioms) -> None:
        """Take over all that the other states."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))

    def rules(self, classes: Mapping[str, str], properties: Mapping[str, str]) -> Rules:
        """The rules in canonical names, given those of the aliases."""
        names = _Canonical(classes, properties)
        return Rules(
            _sorted((names.property(one), names.name(other)) for one, other in self.domains),
            _sorted((names.property(one), names.name(other)) for one, other in self.ranges),
            _sorted((names.property(one), names.property(other)) for one, other in self.inverses),
            tuple(sorted(map(names.property, self.transitive))),
            _sorted((names.name(one), names.expression(each)) for one, each in self.definitions),
            _sorted((names.name(one), names.some(each)) for one, each in self.necessary),
        )


def axioms_in(triples: Triples, infer: Iterable[Infer]) -> Axioms:
    """What the triples state, as far as it is to be concluded from."""
    found = Axioms()
    for each in infer:
        match each:
            case Infer.DOMAIN_RANGE:
                found.domains |= set(_classes_of(triples, RDFS + "domain"))
                found.ranges |= set(_classes_of(triples, RDFS + "range"))
            case Infer.INVERSE:
                _read_inverses(triples, found)
            case Infer.EXISTENTIAL:
                _read_expressions(triples, found)
    return found


def _classes_of(triples: Triples, relation: str) -> Iterator[Edge]:
    """The named classes that a property's domains or ranges are, or are intersections of."""
    for prop, value in triples.pairs(relation):
        if isinstance(prop, Iri):
            named = [value.text] if isinstance(value, Iri) else triples.members(value, _AND)
            yield from ((prop.text, each) for each in named)


def _read_inverses(triples: Triples, found: Axioms) -> None:
    for one, other in triples.pairs(OWL + "inverseOf"):
        if isinstance(one, Iri) and isinstance(other, Iri):
            found.inverses |= {(one.text, other.text), (other.text, one.text)}
    for subject, kind in triples.pairs(RDF_TYPE):
        if isinstance(subject, Iri) and kind == Iri(OWL + "SymmetricProperty"):
            found.inverses.add((subject.text, subject.text))
        if isinstance(subject, Iri) and kind == Iri(OWL + "TransitiveProperty"):
            found.transitive.add(subject.text)


def _read_expressions(triples: Triples, found: Axioms) -> None:
    itself = [
        (subject, subject) for relation in (_AND, _OR) for subject, _ in triples.pairs(relation)
    ]
    below, same = list(triples.pairs(_SUB_CLASS)), [*triples.pairs(_SAME_CLASS), *itself]
    turned = [(value, subject) for subject, value in (*below, *triples.pairs(_SAME_CLASS))]
    for name, whole in (*same, *turned):
        if isinstance(name, Iri) and (isinstance(whole, Blank) or whole == name):
            meaning = _expression(triples, whole, exact=True)
            if meaning is not None:
                found.definitions.add((name.text, meaning))
    for name, whole in (*below, *same):
        if isinstance(name, Iri) and (isinstance(whole, Blank) or whole == name):
            meaning = _expression(triples, whole, exact=False)
            found.necessary |= {(name.text, each) for each in _restrictions(meaning)}


def _restrictions(meaning: Expression | None) -> Iterator[Some]:
    """What everything that meets the expression has some of."""
    match meaning:
        case Some():
            yield meaning
        case AllOf(parts):
            for part in parts:
                yield from _restrictions(part)
        case _:
            return


def _expression(triples: Triples, term: Term, *, exact: bool, depth: int = 0) -> Expression | None:
    """The meaning of a class expression; None where it has a part beyond the rules.

    Not exact, it may be wider: such parts of an intersection are left out.
    """
    if isinstance(term, Literal) or depth > _DEEPEST:
        return None
    if isinstance(term, Iri) and depth:
        return Named(term.text)
    for relation, make in ((_AND, AllOf), (_OR, AnyOf)):
        for head in triples.objects(term, relation):
            parts = [
                _expression(triples, each, exact=exact, depth=depth + 1)
                for each in triples.items(head)
            ]
            known = tuple(each for each in parts if each is not None)
            lenient = not exact if make is AllOf else exact
            return make(known) if known and (lenient or len(known) == len(parts)) else None
    return _restriction(triples, term, exact=exact, depth=depth)


def _restriction(triples: Triples, term: Term, *, exact: bool, depth: int) -> Expression | None:
    for prop in triples.objects(term, OWL + "onProperty"):
        if not isinstance(prop, Iri):
            return None
        for filler in triples.objects(term, OWL + "someValuesFrom"):
            inner = _expression(triples, filler, exact=exact, depth=depth + 1)
            return None if inner is None else Some(prop.text, inner)
        for value in triples.objects(term, OWL + "hasValue"):
            return None if isinstance(value, Blank) else HasValue(prop.text, value)
        if any(_is_one(each) for each in triples.objects(term, OWL + "minCardinality")):
            return Some(prop.text, _ANYTHING)
    return None


def _is_one(term: Term) -> bool:
    return isinstance(term, Literal) and term.lexical.strip() == "1"


class _Canonical:
    """Names as an ontology knows them."""

    def __init__(self, classes: Mapping[str, str], properties: Mapping[str, str]) -> None:
        self._classes = classes
        self._properties = properties

    def name(self, name: str) -> str:
        return self._classes.get(name, name)

    def property(self, name: str) -> str:
        return self._properties.get(name, name)

    def some(self, each: Some) -> Some:
        return Some(self.property(each.property), self.expression(each.filler))

    def expression(self, each: Expression) -> Expression:
        match each:
            case Named(name):
                return Named(self.name(name))
            case AllOf(parts):
                return AllOf(tuple(map(self.expression, parts)))
            case AnyOf(parts):
                return AnyOf(tuple(map(self.expression, parts)))
            case Some():
                return self.some(each)
            case HasValue(prop, value):
                return HasValue(self.property(prop), value)


def _sorted(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(set(pairs), key=repr))
