"""Facts of an RDF text about classes and properties, before any inference.

Names count as classes or properties if they are declared or used as such. Class expressions relate
the named classes in them: `A = B and ...` puts A below B, `A = B or C` puts B and C below A. Other
axioms are left to other readers of the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from tocsin.errors import MeaningProblem
from tocsin.knowledge.axioms import (
    SAME_CLASS,
    SUB_CLASS,
    Axioms,
    axioms_in,
    conjuncts,
    disjuncts,
    inclusions_in,
    names_of,
)
from tocsin.knowledge.hierarchy import Edge
from tocsin.knowledge.meta_statements import (
    Triples,
    declared_statements,
    domain_range_statements,
    ranges_of,
    shape_statements,
    to_class_statements,
)
from tocsin.knowledge.ontology import MetaStatement
from tocsin.knowledge.rules import Infer
from tocsin.values.rdf import RdfText
from tocsin.values.terms import (
    ANY_LITERAL,
    DATATYPE_PARENT,
    OWL,
    RDF,
    RDF_TYPE,
    RDFS,
    XSD,
    Iri,
    Resource,
    Term,
)

_CLASS_TYPES = frozenset((RDFS + "Class", OWL + "Class", OWL + "DeprecatedClass"))
_PROPERTY_TYPES = frozenset(
    (RDF + "Property", RDFS + "ContainerMembershipProperty", *(f"{OWL}{kind}Property" for kind in (
        "Object", "Datatype", "Annotation", "Functional", "InverseFunctional", "Transitive",
        "Symmetric", "Asymmetric", "Reflexive", "Irreflexive", "Deprecated", "Ontology",
    )))
)  # fmt: skip
_DATATYPE_TYPES = frozenset(
    (RDFS + "Datatype", "https://schema.org/DataType", "http://schema.org/DataType")
)
_SUB_PROPERTY, _SAME_PROPERTY = RDFS + "subPropertyOf", OWL + "equivalentProperty"
_ON_DATATYPE = OWL + "onDatatype"
_OF_CLASSES = tuple(
    OWL + name for name in ("someValuesFrom", "allValuesFrom", "onClass", "complementOf")
)
_LISTS_OF_CLASSES = tuple(
    OWL + name for name in ("intersectionOf", "unionOf", "disjointUnionOf", "members")
)
_VOCABULARIES = (OWL, RDFS, RDF, XSD, "http://www.w3.org/ns/shacl#", "urn:tocsin:")
_ABOUT_CLASSES = (
    "intersectionOf", "unionOf", "disjointUnionOf", "complementOf", "oneOf", "hasKey",
)  # fmt: skip
_BETWEEN_PROPERTIES = (OWL + "inverseOf", OWL + "propertyDisjointWith")
_OF_OTHERS = frozenset(
    OWL + kind
    for kind in (
        "Ontology", "NamedIndividual", "Restriction", "AllDisjointClasses", "AllDisjointProperties",
    )
)  # fmt: skip


@dataclass(slots=True)
class Facts:
    """Facts of one or several texts: names by kind, direct parents, equivalences."""

    declared: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    datatypes: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    individuals: set[str] = field(default_factory=set)
    below_class: set[Edge] = field(default_factory=set)
    implied_below: set[Edge] = field(default_factory=set)
    below_property: set[Edge] = field(default_factory=set)
    same_classes: set[Edge] = field(default_factory=set)
    same_properties: set[Edge] = field(default_factory=set)
    statements: set[MetaStatement] = field(default_factory=set)
    ranges: set[Edge] = field(default_factory=set)
    axioms: Axioms = field(default_factory=Axioms)
    prefixes: dict[str, str] = field(default_factory=dict)

    def add(self, other: Facts) -> None:
        """Add all facts of the other; a known prefix keeps its meaning."""
        for name in self.__slots__:
            if name not in ("prefixes", "axioms"):
                getattr(self, name).update(getattr(other, name))
        self.axioms.add(other.axioms)
        self.prefixes = {**other.prefixes, **self.prefixes}


def facts_of(
    text: RdfText, *, domain_and_range: bool = False, infer: Iterable[Infer] = ()
) -> Facts:
    """Return the facts of a text.

    With `domain_and_range`, domains and ranges of properties are meta-statements, too.
    """
    triples = Triples(text.triples)
    facts = names_in(triples)
    facts.prefixes, facts.axioms = dict(text.prefixes), axioms_in(triples, infer)
    facts.ranges = set(ranges_of(triples))
    chosen = Infer.META_STATEMENTS in infer
    _read_statements(triples, facts, domain_and_range or chosen, to_class=chosen)
    return facts


def names_in(triples: Triples) -> Facts:
    """Return the names of the triples, and their hierarchy.

    A name counts if it is declared, or used where only a name of that kind can be.
    """
    facts = Facts()
    _read_hierarchies(triples, facts)
    _read_expressions(triples, facts)
    _read_names(triples, facts)
    return facts


def _read_hierarchies(triples: Triples, facts: Facts) -> None:
    facts.below_class |= set(_named_pairs(triples.pairs(SUB_CLASS)))
    facts.below_property |= set(_named_pairs(triples.pairs(_SUB_PROPERTY)))
    facts.same_classes |= set(_named_pairs(triples.pairs(SAME_CLASS)))
    facts.same_properties |= set(_named_pairs(triples.pairs(_SAME_PROPERTY)))


def _read_expressions(triples: Triples, facts: Facts) -> None:
    """Add the named classes that class expressions relate, and restricted datatypes.

    A part of a union on the narrower side is below every part of an intersection on the wider side.
    """
    for each in inclusions_in(triples):
        facts.implied_below |= set(
            product(names_of(disjuncts(each.narrow)), names_of(conjuncts(each.wide)))
        )
    for subject, expression in (*triples.pairs(SUB_CLASS), *triples.pairs(SAME_CLASS)):
        if isinstance(subject, Iri):
            for base in _names(triples.objects(expression, _ON_DATATYPE)):
                facts.datatypes.add(subject.text)
                facts.implied_below.add((subject.text, base))


def _read_names(triples: Triples, facts: Facts) -> None:
    for subject, kind in _named_pairs(triples.pairs(RDF_TYPE)):
        if kind in _CLASS_TYPES:
            facts.classes.add(subject)
        elif kind in _DATATYPE_TYPES:
            facts.datatypes.add(subject)
        elif kind in _PROPERTY_TYPES:
            facts.properties.add(subject)
        elif kind not in _OF_OTHERS:
            facts.individuals.add(subject)
            if not kind.startswith(_VOCABULARIES):
                facts.classes.add(kind)
    facts.declared = facts.classes | facts.datatypes | facts.properties
    edges = (*facts.below_class, *facts.same_classes, *facts.implied_below)
    facts.classes.update(name for edge in edges for name in edge)
    facts.properties.update(
        name for edge in (*facts.below_property, *facts.same_properties) for name in edge
    )
    for relation in (RDFS + "domain", RDFS + "range"):
        for prop, value in _named_pairs(triples.pairs(relation)):
            facts.properties.add(prop)
            facts.classes.add(value)
    facts.properties.update(
        name
        for relation in _BETWEEN_PROPERTIES
        for pair in _named_pairs(triples.pairs(relation))
        for name in pair
    )
    for relation in ("onProperty", "assertionProperty"):
        facts.properties.update(_names(value for _, value in triples.pairs(OWL + relation)))
    facts.properties.update(_in_property_lists(triples))
    facts.classes.update(set(_in_expressions(triples)) - facts.datatypes)
    facts.classes -= {ANY_LITERAL, *DATATYPE_PARENT}


def _in_expressions(triples: Triples) -> Iterator[str]:
    """Yield the names in positions that take only a class or a datatype."""
    for relation in _OF_CLASSES:
        yield from _names(value for _, value in triples.pairs(relation))
    for relation in (SUB_CLASS, SAME_CLASS, OWL + "disjointWith"):
        yield from _names(side for pair in triples.pairs(relation) for side in pair)
    disjoint = Iri(OWL + "AllDisjointClasses")
    for relation in _LISTS_OF_CLASSES:
        for subject in dict.fromkeys(subject for subject, _ in triples.pairs(relation)):
            # the members of a list of properties, or of individuals, are not classes
            if relation != OWL + "members" or disjoint in triples.objects(subject, RDF_TYPE):
                yield from triples.members(subject, relation)
    for prop in _ABOUT_CLASSES:
        yield from _names(subject for subject, _ in triples.pairs(OWL + prop))


def _in_property_lists(triples: Triples) -> Iterator[str]:
    """The names of chains, keys and lists of disjoint properties."""
    for subject, _ in triples.pairs(OWL + "propertyChainAxiom"):
        yield from _names((subject,))
        yield from triples.members(subject, OWL + "propertyChainAxiom")
    for subject, _ in triples.pairs(OWL + "hasKey"):
        yield from triples.members(subject, OWL + "hasKey")
    for subject, kind in triples.pairs(RDF_TYPE):
        if kind == Iri(OWL + "AllDisjointProperties"):
            yield from triples.members(subject, OWL + "members")


def _read_statements(
    triples: Triples, facts: Facts, domain_and_range: bool, *, to_class: bool
) -> None:
    facts.statements |= set(declared_statements(triples)) | set(shape_statements(triples))
    if domain_and_range:
        facts.statements |= set(domain_range_statements(triples))
    if to_class:
        facts.statements |= set(to_class_statements(triples))
    for each in facts.statements:
        if each.property == RDF_TYPE:
            raise MeaningProblem(
                f"rdf:type is used as the property of a meta-statement of {each.subject}",
                code="META_RESERVED",
                token="rdf:type",
                hint=(
                    "a class is given by the statement's own type; declare the meta-statement for"
                    " another property"
                ),
            )
        _refuse_misplaced(each, facts)
        facts.properties.add(each.property)
        facts.classes |= (
            {each.subject, each.object} - {ANY_LITERAL, *DATATYPE_PARENT} - facts.datatypes
        )


def _refuse_misplaced(each: MetaStatement, facts: Facts) -> None:
    classes, properties = facts.classes - facts.properties, facts.properties - facts.classes
    if each.property in classes:
        raise MeaningProblem(
            f"{each.property} is a class, and a meta-statement uses it as a property",
            code="UNKNOWN_PROPERTY",
            token=each.property,
            hint="a meta-statement is a class, a property and a class",
        )
    for name in (each.subject, each.object):
        if name in properties:
            raise MeaningProblem(
                f"{name} is a property, and a meta-statement uses it as a class",
                code="UNKNOWN_CLASS",
                token=name,
                hint="a meta-statement is a class, a property and a class",
            )


def _named_pairs(pairs: Iterable[tuple[Resource, Term]]) -> Iterator[Edge]:
    """Yield the pairs of which both are IRIs."""
    for one, other in pairs:
        if isinstance(one, Iri) and isinstance(other, Iri):
            yield (one.text, other.text)


def _names(terms: Iterable[Term]) -> Iterator[str]:
    return (term.text for term in terms if isinstance(term, Iri))
