"""Axioms of an RDF text that give rules: domains, ranges, inverses, class expressions.

Inclusions between class expressions: `A subClassOf B` says that A is within B, an equivalence says
it both ways, and so does a named class with a connective of its own. An inclusion of two names is
left to the hierarchy. An expression that rules cannot express (a complement, a universal
restriction) gives no inclusion; of the wider side such parts of an intersection are left out, of
the narrower side such parts of a union. Restrictions are on named properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tocsin.knowledge.hierarchy import Edge
from tocsin.knowledge.meta_statements import Triples
from tocsin.knowledge.rules import AllOf, AnyOf, Expression, HasValue, Infer, Named, Rules, Some
from tocsin.values.terms import ANY_LITERAL, OWL, RDF_TYPE, RDFS, THING, Blank, Iri, Literal, Term

SUB_CLASS, SAME_CLASS = RDFS + "subClassOf", OWL + "equivalentClass"
AND, OR = OWL + "intersectionOf", OWL + "unionOf"
_MAX_DEPTH = 32
_ANYTHING = AnyOf((Named(THING), Named(ANY_LITERAL)))


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Everything in the narrow expression is in the wide one.

    `nodes` are the blank nodes, and the named classes with connectives of their own, from which the
    two were read.
    """

    narrow: Expression
    wide: Expression
    nodes: frozenset[Term]


def inclusions_in(triples: Triples) -> Iterator[Inclusion]:
    """Yield the inclusions with an expression on at least one side."""
    for one, other in _pairs(triples):
        narrow, wide = _InclusionReader(triples, exact=True), _InclusionReader(triples, exact=False)
        below, above = narrow.side(one), wide.side(other)
        if below is not None and above is not None:
            yield Inclusion(below, above, frozenset(narrow.nodes | wide.nodes))


def conjuncts(meaning: Expression) -> Iterator[Expression]:
    """Yield the parts of an intersection, nested ones flattened; any other expression is its only
    part.
    """
    if isinstance(meaning, AllOf):
        for part in meaning.parts:
            yield from conjuncts(part)
    else:
        yield meaning


def disjuncts(meaning: Expression) -> Iterator[Expression]:
    """Yield the parts of a union, nested ones flattened; any other expression is its only part."""
    if isinstance(meaning, AnyOf):
        for part in meaning.parts:
            yield from disjuncts(part)
    else:
        yield meaning


def names_of(parts: Iterable[Expression]) -> Iterator[str]:
    """Return an iterator over the names of those parts that are named classes."""
    return (part.name for part in parts if isinstance(part, Named))


def classes_above(triples: Triples, term: Term) -> list[str]:
    """Return the named classes that contain everything in the expression."""
    meaning = _InclusionReader(triples, exact=False).side(term)
    return [] if meaning is None else list(names_of(conjuncts(meaning)))


@dataclass(frozen=True, slots=True)
class _Connective:
    """A named class and the connective that describes it directly."""

    subject: Iri
    relation: str
    head: Term


_Side = Term | _Connective


def _pairs(triples: Triples) -> Iterator[tuple[_Side, _Side]]:
    """Yield the narrow and the wide side of each inclusion that is not between two names."""
    for one, other in triples.pairs(SUB_CLASS):
        if not (isinstance(one, Iri) and isinstance(other, Iri)):
            yield one, other
    for one, other in triples.pairs(SAME_CLASS):
        if not (isinstance(one, Iri) and isinstance(other, Iri)):
            yield from ((one, other), (other, one))
    for relation in (AND, OR):
        for subject, head in triples.pairs(relation):
            if isinstance(subject, Iri):
                meant = _Connective(subject, relation, head)
                yield from ((subject, meant), (meant, subject))


@dataclass(slots=True)
class _InclusionReader:
    """One walk over one side. With `exact` the result may be narrower, otherwise wider."""

    triples: Triples
    exact: bool
    nodes: set[Term] = field(default_factory=set)

    def side(self, side: _Side) -> Expression | None:
        """Return the meaning of a side; None if it has a part that rules cannot express."""
        if isinstance(side, _Connective):
            self.nodes.add(side.subject)
            return self._connected(side.relation, side.head, 0)
        return self._meaning(side, 0)

    def _meaning(self, term: Term, depth: int) -> Expression | None:
        if isinstance(term, Literal) or depth > _MAX_DEPTH:
            return None
        if isinstance(term, Iri):
            return Named(term.text)
        before = set(self.nodes)
        found = self._described(term, depth)
        # parts of a left-out expression do not count as read
        self.nodes = before if found is None else self.nodes | {term}
        return found

    def _described(self, term: Term, depth: int) -> Expression | None:
        for relation in (AND, OR):
            for head in self.triples.objects(term, relation):
                return self._connected(relation, head, depth)
        return self._restriction(term, depth)

    def _connected(self, relation: str, head: Term, depth: int) -> Expression | None:
        parts = [self._meaning(each, depth + 1) for each in self.triples.items(head)]
        known = tuple(each for each in parts if each is not None)
        may_lack = self.exact if relation == OR else not self.exact
        if not known or (len(known) < len(parts) and not may_lack):
            return None
        return AnyOf(known) if relation == OR else AllOf(known)

    def _restriction(self, term: Term, depth: int) -> Expression | None:
        for prop in self.triples.objects(term, OWL + "onProperty"):
            if not isinstance(prop, Iri):
                return None
            for filler in self.triples.objects(term, OWL + "someValuesFrom"):
                inner = self._meaning(filler, depth + 1)
                return None if inner is None else Some(prop.text, inner)
            for value in self.triples.objects(term, OWL + "hasValue"):
                return None if isinstance(value, Blank) else HasValue(prop.text, value)
            if any(_is_one(each) for each in self.triples.objects(term, OWL + "minCardinality")):
                return Some(prop.text, _ANYTHING)
        return None


def _is_one(term: Term) -> bool:
    return isinstance(term, Literal) and term.lexical.strip() == "1"


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
