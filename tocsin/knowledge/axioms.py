"""Axioms of an RDF text that give rules: domains, ranges, inverses and class expressions.

Class expressions as far as `inclusions` understands them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tocsin.knowledge.hierarchy import Edge
from tocsin.knowledge.inclusions import classes_above, conjuncts, inclusions_in
from tocsin.knowledge.rules import AllOf, AnyOf, Expression, HasValue, Infer, Named, Rules, Some
from tocsin.knowledge.statements import Triples
from tocsin.values.terms import OWL, RDF_TYPE, RDFS, Iri

Pair = TypeVar("Pair", bound=tuple[object, ...])


@dataclass(slots=True)
class Axioms:
    """The axioms of one or several texts, in the names of the text."""

    domains: set[Edge] = field(default_factory=set)
    ranges: set[Edge] = field(default_factory=set)
    inverses: set[Edge] = field(default_factory=set)
    transitive: set[str] = field(default_factory=set)
    definitions: set[tuple[str, Expression]] = field(default_factory=set)
    necessary: set[tuple[Expression, Some | HasValue]] = field(default_factory=set)

    def add(self, other: Axioms) -> None:
        """Add all axioms of the other."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))

    def rules(
        self,
        classes: Mapping[str, str],
        properties: Mapping[str, str],
        is_below: Callable[[str, str], bool],
    ) -> Rules:
        """Return the rules in canonical names, given those of the aliases.

        An inclusion between two names is left to the hierarchy, except for those that the hierarchy
        leaves out: if equivalences form a cycle, every member of one class is a member of all.
        """
        names = _Canonical(classes, properties)
        definitions = ((names.name(one), names.expression(each)) for one, each in self.definitions)
        return Rules(
            _sorted((names.property(one), names.name(other)) for one, other in self.domains),
            _sorted((names.property(one), names.name(other)) for one, other in self.ranges),
            _sorted((names.property(one), names.property(other)) for one, other in self.inverses),
            tuple(sorted(map(names.property, self.transitive))),
            _sorted(
                (name, meaning)
                for name, meaning in definitions
                if not (isinstance(meaning, Named) and is_below(meaning.name, name))
            ),
            _sorted((names.expression(narrow), names.value(has)) for narrow, has in self.necessary),
        )


def axioms_in(triples: Triples, infer: Iterable[Infer]) -> Axioms:
    """Return the axioms in the triples, as far as the inferences in `infer` use them."""
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
            case Infer.META_STATEMENTS:
                continue  # they constrain, and conclude nothing of an event
    return found


def _classes_of(triples: Triples, relation: str) -> Iterator[Edge]:
    """Yield each property with the named classes that its domains or ranges are, or are
    intersections of.
    """
    for prop, value in triples.pairs(relation):
        if isinstance(prop, Iri):
            yield from ((prop.text, each) for each in classes_above(triples, value))


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
    for each in inclusions_in(triples):
        for part in conjuncts(each.wide):
            match part:
                case Named(name):
                    found.definitions.add((name, each.narrow))
                case Some() | HasValue():
                    found.necessary.add((each.narrow, part))
                case _:
                    continue  # a union implies none of its parts


class _Canonical:
    """Names of a text as an ontology knows them."""

    def __init__(self, classes: Mapping[str, str], properties: Mapping[str, str]) -> None:
        self._classes = classes
        self._properties = properties

    def name(self, name: str) -> str:
        return self._classes.get(name, name)

    def property(self, name: str) -> str:
        return self._properties.get(name, name)

    def value(self, each: Some | HasValue) -> Some | HasValue:
        prop = self.property(each.property)
        if isinstance(each, HasValue):
            return HasValue(prop, each.value)
        return Some(prop, self.expression(each.filler))

    def expression(self, each: Expression) -> Expression:
        match each:
            case Named(name):
                return Named(self.name(name))
            case AllOf(parts):
                return AllOf(tuple(map(self.expression, parts)))
            case AnyOf(parts):
                return AnyOf(tuple(map(self.expression, parts)))
            case Some() | HasValue():
                return self.value(each)


def _sorted(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(set(pairs), key=repr))
