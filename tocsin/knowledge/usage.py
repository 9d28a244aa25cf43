"""Axioms of an ontology that graph patterns use, and those they ignore: counted by term, never
guessed.

A term of RDF Schema, OWL, SHACL or SWRL that is in none of the tables below counts as not used.
Annotations and the parts of larger axioms are not counted. A term about a class expression counts
as used only if an inference uses that expression.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tocsin.knowledge.axioms import conjuncts, disjuncts, inclusions_in, names_of
from tocsin.knowledge.meta_statements import Triples
from tocsin.knowledge.rules import AnyOf, Infer
from tocsin.values.rdf import RdfText
from tocsin.values.terms import DATATYPE_PARENT, OWL, RDF, RDF_TYPE, RDFS, Blank, Iri, Term, Triple

_SHACL, _SWRL = "http://www.w3.org/ns/shacl#", "http://www.w3.org/2003/11/swrl#"
_SPACES: Mapping[str, str] = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "sh": _SHACL, "swrl": _SWRL}
_META = "urn:tocsin:MetaStatement"

_USED = frozenset(
    "rdfs:subClassOf rdfs:subPropertyOf owl:equivalentClass owl:equivalentProperty"
    f" owl:intersectionOf owl:unionOf owl:onDatatype sh:property {_META}".split()
)
_USED_BY: Mapping[str, Infer] = {
    **dict.fromkeys(("rdfs:domain", "rdfs:range"), Infer.DOMAIN_RANGE),
    **dict.fromkeys(
        ("owl:inverseOf", "owl:SymmetricProperty", "owl:TransitiveProperty"), Infer.INVERSE
    ),
    **dict.fromkeys(
        ("owl:someValuesFrom", "owl:hasValue", "owl:minCardinality"), Infer.EXISTENTIAL
    ),
}
_TO_CLASS = "owl:allValuesFrom"
_AS_STATEMENTS = frozenset(("rdfs:domain", "rdfs:range", _TO_CLASS))
"""What meta-statements are made of where they are asked for."""
_ABOUT_EXPRESSIONS = frozenset(
    "owl:intersectionOf owl:unionOf owl:someValuesFrom owl:hasValue owl:minCardinality".split()
)
_OF_CONCEPTS = frozenset(
    "rdfs:range owl:someValuesFrom owl:allValuesFrom owl:hasValue owl:complementOf owl:oneOf"
    " owl:disjointWith owl:AllDisjointClasses owl:withRestrictions".split()
)
"""Terms that the concept language uses as far as its TBox can express them."""
_QUIET = frozenset(
    "rdf:type rdf:first rdf:rest rdf:nil rdf:value rdfs:label rdfs:comment rdfs:seeAlso"
    " rdfs:isDefinedBy rdfs:member owl:versionInfo owl:versionIRI owl:priorVersion"
    " owl:backwardCompatibleWith owl:incompatibleWith owl:deprecated owl:onProperty"
    " owl:onProperties owl:onClass owl:onDataRange owl:members owl:distinctMembers"
    " owl:annotatedSource owl:annotatedProperty owl:annotatedTarget owl:sourceIndividual"
    " owl:assertionProperty owl:targetIndividual owl:targetValue owl:Ontology owl:Class"
    " owl:Restriction owl:ObjectProperty owl:DatatypeProperty owl:AnnotationProperty"
    " owl:OntologyProperty owl:DeprecatedClass owl:DeprecatedProperty owl:NamedIndividual owl:Thing"
    " owl:Axiom owl:Annotation owl:DataRange rdfs:Class rdfs:Datatype rdfs:Resource"
    " rdfs:ContainerMembershipProperty rdf:Property rdf:List rdf:Statement sh:NodeShape"
    " sh:PropertyShape sh:targetClass sh:path sh:class sh:datatype sh:nodeKind sh:name"
    " sh:description sh:message sh:order sh:group sh:severity sh:IRI sh:Literal"
    " sh:BlankNodeOrIRI".split()
)
_INDIVIDUALS = "facts about individuals"


@dataclass(frozen=True, slots=True)
class Usage:
    """Terms with the number of their statements, most frequent first."""

    used: tuple[tuple[str, int], ...] = ()
    unused: tuple[tuple[str, int], ...] = ()

    def text(self) -> str:
        """Return `uses: ...; not used: ...`."""
        return f"uses: {_listed(self.used)}; not used: {_listed(self.unused)}"

    def hints(self) -> Iterator[str]:
        """Yield hints to the options and languages that would use the unused terms."""
        words = [word for word, _ in self.unused]
        for infer in Infer:
            if found := [word for word in words if _USED_BY.get(word) is infer]:
                yield f"infer {infer} would use {', '.join(found)}"
        if _TO_CLASS in words:
            yield f"infer {Infer.META_STATEMENTS} would use {_TO_CLASS} as a constraint"
        if found := [word for word in words if word in _OF_CONCEPTS]:
            yield f"the language concept uses {', '.join(found)} as far as a TBox can say it"


def usage_of(text: RdfText, infer: Collection[Infer] = ()) -> Usage:
    """Return the terms of a text that graph patterns use and do not use, given these inferences."""
    read = _read_nodes(text.triples, infer)
    used, unused = Counter[str](), Counter[str]()
    for triple, word in _words(text.triples):
        is_known = (
            word in _USED
            or _USED_BY.get(word) in infer
            or (Infer.META_STATEMENTS in infer and word in _AS_STATEMENTS)
            or _is_datatype_range(triple)
        )
        side = used if is_known and _is_read(triple, word, read) else unused
        side[word] += 1
    if facts := _facts(text.triples):
        unused[_INDIVIDUALS] = facts
    return Usage(_ordered(used), _ordered(unused))


def _is_datatype_range(triple: Triple) -> bool:
    """True if the triple gives a property its datatype, which values of JSON and XML take."""
    _, prop, value = triple
    return prop == RDFS + "range" and isinstance(value, Iri) and value.text in DATATYPE_PARENT


def _read_nodes(triples: Iterable[Triple], infer: Collection[Infer]) -> set[Term]:
    """Return the nodes of the class expressions that an inference uses."""
    found: set[Term] = set()
    known = Triples(triples)
    for each in inclusions_in(known):
        above = list(conjuncts(each.wide))
        by_order = any(names_of(above)) and any(names_of(disjuncts(each.narrow)))
        by_rule = Infer.EXISTENTIAL in infer and any(not isinstance(part, AnyOf) for part in above)
        if by_order or by_rule:
            found |= each.nodes
    for relation in (RDFS + "domain", RDFS + "range"):
        found |= {value for _, value in known.pairs(relation) if isinstance(value, Blank)}
    for node, _ in known.pairs(OWL + "onDatatype"):
        found.add(node)
    return found


def _is_read(triple: Triple, word: str, read: set[Term]) -> bool:
    """True unless the triple is about a class expression that no inference uses."""
    return word not in _ABOUT_EXPRESSIONS or triple[0] in read


def merge_usages(usages: Iterable[Usage]) -> Usage:
    """Return the sum of all counts; a term may be used in one text and unused in another."""
    used, unused = Counter[str](), Counter[str]()
    for each in usages:
        used.update(dict(each.used))
        unused.update(dict(each.unused))
    return Usage(_ordered(used), _ordered(unused))


def _words(triples: Collection[Triple]) -> Iterator[tuple[Triple, str]]:
    unions = {subject for subject, prop, _ in triples if prop == OWL + "unionOf"}
    for triple in triples:
        _, prop, value = triple
        stated = value.text if prop == RDF_TYPE and isinstance(value, Iri) else prop
        word = _META if stated == _META else _short(stated)
        if word and word not in _QUIET:
            is_open = _USED_BY.get(word) is Infer.DOMAIN_RANGE and value in unions
            yield triple, f"{word} of a union" if is_open else word


def _facts(triples: Iterable[Triple]) -> int:
    """Count the statements about individuals, without annotations."""
    kinds: dict[object, set[str]] = {}
    for subject, prop, value in triples:
        if prop == RDF_TYPE and isinstance(value, Iri):
            kinds.setdefault(subject, set()).add(value.text)
    properties = {OWL + "ObjectProperty", OWL + "DatatypeProperty", RDF + "Property"}
    return sum(
        not isinstance(subject, Blank)
        and any(not _short(kind) for kind in kinds.get(subject, ()))
        and bool(kinds.get(Iri(prop), set()) & properties)
        for subject, prop, _ in triples
    )


def _short(name: str) -> str:
    """Return the term with its prefix; empty for a name of the ontology's own."""
    found = (
        f"{prefix}:{name.removeprefix(space)}"
        for prefix, space in _SPACES.items()
        if name.startswith(space)
    )
    return next(found, "")


def _ordered(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _listed(counts: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts) or "nothing"
