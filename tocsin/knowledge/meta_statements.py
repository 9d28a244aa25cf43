"""Meta-statements: read from RDF, and all legal statement types in one array (spec 2.4).

RDF has declared ones, SHACL shapes, and the domains and ranges of properties. A statement type is
legal at or below a declared meta-statement. The sorted array of all, with ancestors, may be large,
so it is built on request only and never beyond a limit; for single entries use `Ontology.allows`
and `ancestors_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from tocsin.errors import LimitProblem, MeaningProblem
from tocsin.knowledge.ontology import MetaStatement, Ontology
from tocsin.knowledge.vocabulary import QUIET
from tocsin.values.terms import (
    ANY_LITERAL,
    OWL,
    RDF,
    RDF_TYPE,
    RDFS,
    THING,
    Blank,
    Iri,
    Literal,
    Resource,
    Term,
    Triple,
)

EMS_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Ems:
    """The array: entries sorted by class, property and class, and the position of each."""

    ontology: Ontology
    entries: tuple[MetaStatement, ...]
    index: dict[MetaStatement, int] = field(init=False, repr=False, compare=False)
    _ancestors: dict[int, tuple[int, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "index", {entry: number for number, entry in enumerate(self.entries)}
        )

    def __len__(self) -> int:
        return len(self.entries)

    def ancestors(self, number: int) -> tuple[int, ...]:
        """Return the strict ancestors of an entry in the array, each once, ascending; cached."""
        found = self._ancestors.get(number)
        if found is None:
            above = ancestors_of(self.ontology, self.entries[number])
            found = self._ancestors[number] = tuple(
                sorted(self.index[each] for each in above if each in self.index)
            )
        return found


def ems_of(ontology: Ontology, limit: int = EMS_LIMIT) -> Ems:
    """Return the whole array of an ontology; raise LimitProblem above `limit` entries."""
    entries: set[MetaStatement] = set()
    for each in _declared(ontology):
        subjects, properties, objects = _parts_below(ontology, each)
        if len(subjects) * len(properties) * len(objects) > limit:
            raise _too_large(limit)
        entries.update(MetaStatement(*parts) for parts in product(subjects, properties, objects))
        if len(entries) > limit:
            raise _too_large(limit)
    return Ems(ontology, tuple(sorted(entries)))


def ancestors_of(ontology: Ontology, statement: MetaStatement) -> Iterator[MetaStatement]:
    """Yield every statement type strictly above one, in canonical names; legal or not."""
    subjects = _canonical_classes(ontology, ontology.superclasses(statement.subject))
    properties = {
        ontology.canonical_property(each) for each in ontology.superproperties(statement.property)
    }
    objects = _canonical_classes(ontology, ontology.superclasses(statement.object))
    for parts in product(sorted(subjects), sorted(properties), sorted(objects)):
        if parts != statement:
            yield MetaStatement(*parts)


def _declared(ontology: Ontology) -> Iterator[MetaStatement]:
    """Yield the declared meta-statements; without any, all statement types that may be legal."""
    if ontology.meta_statements:
        yield from ontology.meta_statements
        return
    classes = _canonical_classes(ontology, ontology.classes) - QUIET
    properties = {ontology.canonical_property(each) for each in ontology.properties}
    for parts in product(classes, properties - QUIET - {RDF_TYPE}, classes):
        yield MetaStatement(*parts)


def _parts_below(
    ontology: Ontology, statement: MetaStatement
) -> tuple[set[str], set[str], set[str]]:
    return (
        _canonical_classes(ontology, ontology.subclasses(statement.subject)),
        {ontology.canonical_property(each) for each in ontology.subproperties(statement.property)},
        _canonical_classes(ontology, ontology.subclasses(statement.object)),
    )


def _canonical_classes(ontology: Ontology, names: frozenset[str]) -> set[str]:
    return {ontology.canonical_class(name) for name in names}


def _too_large(limit: int) -> LimitProblem:
    return LimitProblem(
        f"the ontology allows more than {limit:,} types of statement",
        code="EMS_LIMIT",
        hint=(
            "declare narrower meta-statements, or use the default strategy, which needs no such"
            " array"
        ),
    )


_OWN = "urn:tocsin:"
_SHACL = "http://www.w3.org/ns/shacl#"
_DOMAINS = (
    RDFS + "domain",
    "https://schema.org/domainIncludes",
    "http://schema.org/domainIncludes",
)
_RANGES = (RDFS + "range", "https://schema.org/rangeIncludes", "http://schema.org/rangeIncludes")
_CLASSES = (RDFS + "Class", OWL + "Class")
_NODE_KINDS = {
    _SHACL + "Literal": (ANY_LITERAL,),
    _SHACL + "IRI": (THING,),
    _SHACL + "BlankNodeOrIRI": (THING,),
}
_ANYTHING = (THING, ANY_LITERAL)


class Triples:
    """Triples, indexed by subject and by property."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._pairs: dict[str, list[tuple[Resource, Term]]] = {}
        self._objects: dict[tuple[Term, str], list[Term]] = {}
        for subject, prop, value in triples:
            self._pairs.setdefault(prop, []).append((subject, value))
            self._objects.setdefault((subject, prop), []).append(value)

    def pairs(self, prop: str) -> Sequence[tuple[Resource, Term]]:
        """Return the subjects and objects of a property."""
        return self._pairs.get(prop, ())

    def objects(self, subject: Term, prop: str) -> Sequence[Term]:
        """Return the objects of a subject's property."""
        return self._objects.get((subject, prop), ())

    def members(self, subject: Term, prop: str) -> Iterator[str]:
        """Yield the IRIs in the RDF lists that are objects of a subject's property."""
        for head in self.objects(subject, prop):
            yield from (each.text for each in self.items(head) if isinstance(each, Iri))

    def items(self, head: Term) -> Iterator[Term]:
        """Yield the items of an RDF list; a cyclic list ends at its first repetition."""
        seen: set[Term] = set()
        rest: Term | None = head
        while rest is not None and rest not in seen:
            seen.add(rest)
            yield from self.objects(rest, RDF + "first")
            rest = next(iter(self.objects(rest, RDF + "rest")), None)


def declared_statements(triples: Triples) -> Iterator[MetaStatement]:
    """Yield each `[] a <urn:tocsin:MetaStatement>` with subject, property and object."""
    for statement, kind in triples.pairs(RDF_TYPE):
        if kind == Iri(_OWN + "MetaStatement"):
            subjects, properties, objects = (
                _required(triples, statement, part) for part in ("subject", "property", "object")
            )
            for parts in product(subjects, properties, objects):
                yield MetaStatement(*parts)


def shape_statements(triples: Triples) -> Iterator[MetaStatement]:
    """Yield the statements of SHACL node shapes.

    A target class, and for each property shape its path and the class of the values.
    """
    for shape, property_shape in triples.pairs(_SHACL + "property"):
        targets = [*_iris(triples.objects(shape, _SHACL + "targetClass"))]
        if isinstance(shape, Iri) and any(
            Iri(kind) in triples.objects(shape, RDF_TYPE) for kind in _CLASSES
        ):
            targets.append(shape.text)  # a shape that is a class targets its own instances
        paths = _iris(triples.objects(property_shape, _SHACL + "path"))
        for parts in product(targets, paths, _values_of_shape(triples, property_shape)):
            yield MetaStatement(*parts)


def domain_range_statements(triples: Triples) -> Iterator[MetaStatement]:
    """Yield every domain of a property with every range; without ranges, any value is allowed."""
    domains = {
        (prop, domain) for relation in _DOMAINS for prop, domain in _named(triples.pairs(relation))
    }
    for prop, domain in sorted(domains):
        ranges = [
            each for relation in _RANGES for each in _iris(triples.objects(Iri(prop), relation))
        ]
        for value in ranges or _ANYTHING:
            yield MetaStatement(domain, prop, value)


def to_class_statements(triples: Triples) -> Iterator[MetaStatement]:
    """Yield classes with a property of which all their values are of a class: `toClass` of
    DAML+OIL, `allValuesFrom` today. An unnamed class of values says nothing unless it is a union.
    """
    for subject, described in _descriptions(triples):
        for restriction in _conjuncts(triples, described):
            for prop in _iris(triples.objects(restriction, OWL + "onProperty")):
                for value in triples.objects(restriction, OWL + "allValuesFrom"):
                    for name in _names_in_range(triples, value):
                        yield MetaStatement(subject, prop, name)


def _descriptions(triples: Triples) -> Iterator[tuple[str, Term]]:
    """Yield named classes, each with what describes it."""
    for relation in (RDFS + "subClassOf", OWL + "equivalentClass"):
        for one, other in triples.pairs(relation):
            if isinstance(one, Iri):
                yield one.text, other
            elif isinstance(other, Iri) and relation == OWL + "equivalentClass":
                yield other.text, one
    for subject, head in triples.pairs(OWL + "intersectionOf"):
        if isinstance(subject, Iri):
            yield from ((subject.text, each) for each in triples.items(head))


def _conjuncts(triples: Triples, described: Term) -> list[Term]:
    """Return an expression and the parts of its intersections; one that contains itself ends."""
    found = {described: None}
    waiting = [described]
    while waiting:
        for head in triples.objects(waiting.pop(), OWL + "intersectionOf"):
            new = [each for each in triples.items(head) if each not in found]
            found.update(dict.fromkeys(new))
            waiting += new
    return [each for each in found if isinstance(each, Blank)]


def ranges_of(triples: Triples) -> Iterator[tuple[str, str]]:
    """Yield each property that has a range with each class and datatype named there.

    A range is a name, the parts of a union, or the datatype that is restricted.
    """
    for relation in _RANGES:
        for prop, value in triples.pairs(relation):
            if isinstance(prop, Iri):
                yield from ((prop.text, name) for name in _names_in_range(triples, value))


def _names_in_range(triples: Triples, value: Term) -> Iterator[str]:
    yield from _iris((value, *triples.objects(value, OWL + "onDatatype")))
    yield from triples.members(value, OWL + "unionOf")


def _values_of_shape(triples: Triples, shape: Term) -> Sequence[str]:
    """Return the classes that a property shape gives its values; without any constraint, all."""
    if isinstance(shape, Literal):
        return ()
    given = [
        each
        for part in ("class", "datatype")
        for each in _iris(triples.objects(shape, _SHACL + part))
    ]
    kinds = [
        value
        for kind in _iris(triples.objects(shape, _SHACL + "nodeKind"))
        for value in _NODE_KINDS.get(kind, ())
    ]
    return given or kinds or _ANYTHING


def _required(triples: Triples, statement: Resource, part: str) -> list[str]:
    found = list(_iris(triples.objects(statement, _OWN + part)))
    if not found:
        raise MeaningProblem(
            f"a meta-statement has no {part}",
            code="UNKNOWN_PROPERTY" if part == "property" else "UNKNOWN_CLASS",
            token=f"{_OWN}{part}",
            hint=(
                f"add <{_OWN}{part}> with the IRI of a"
                f" {'property' if part == 'property' else 'class'}"
            ),
        )
    return found


def _iris(terms: Iterable[Term]) -> Iterator[str]:
    return (term.text for term in terms if isinstance(term, Iri))


def _named(pairs: Iterable[tuple[Resource, Term]]) -> Iterator[tuple[str, str]]:
    return (
        (one.text, other.text)
        for one, other in pairs
        if isinstance(one, Iri) and isinstance(other, Iri)
    )
