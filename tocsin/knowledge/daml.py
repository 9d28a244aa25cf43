"""DAML+OIL, the language of the first paper's ontologies, translated to RDF Schema and OWL.

Every term of DAML+OIL (March 2001 and December 2000) has a counterpart there with the same meaning;
so have the namespaces of RDF Schema and XML Schema that its texts used, in triples and as prefixes.
`equivalentTo` says that two names are one; the rest of the text shows whether they are properties,
classes or individuals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tocsin.knowledge.vocabulary import DAML_SPACES
from tocsin.values.rdf import RdfText
from tocsin.values.terms import OWL, RDF, RDF_TYPE, RDFS, XSD, Iri, Literal, Term, Triple

_DRAFTS = ("1999", "1999/05", "2000/08", "2000/10")
_OLD_SPACES: Mapping[str, str] = {
    "http://www.w3.org/TR/1999/PR-rdf-schema-19990303#": RDFS,
    **{f"http://www.w3.org/{month}/XMLSchema#": XSD for month in _DRAFTS},
    **{f"http://www.w3.org/{month}/XMLSchema-datatypes#": XSD for month in (*_DRAFTS, "2001")},
}
_OLD_DATATYPES = {
    "timeInstant": "dateTime",
    "timeDuration": "duration",
    "uriReference": "anyURI",
    "CDATA": "normalizedString",
    "year": "gYear",
    "month": "gYearMonth",
    "recurringDate": "gMonthDay",
    "recurringDay": "gDay",
    "non-negative-integer": "nonNegativeInteger",
    "positive-integer": "positiveInteger",
    "non-positive-integer": "nonPositiveInteger",
    "negative-integer": "negativeInteger",
    "unsigned-long": "unsignedLong",
    "unsigned-int": "unsignedInt",
    "unsigned-short": "unsignedShort",
    "unsigned-byte": "unsignedByte",
}
"""Datatypes with another name in the drafts of XML Schema."""

_SAME = {
    OWL: (
        "Class Thing Nothing Restriction ObjectProperty DatatypeProperty TransitiveProperty"
        " Ontology inverseOf intersectionOf unionOf complementOf oneOf disjointWith disjointUnionOf"
        " onProperty hasValue cardinality minCardinality maxCardinality imports versionInfo"
    ),
    RDFS: (
        "Literal Datatype subClassOf subPropertyOf domain range label comment seeAlso isDefinedBy"
    ),
    RDF: "Property List nil first rest type value",
}
_OTHER = {
    "sameClassAs": OWL + "equivalentClass",
    "samePropertyAs": OWL + "equivalentProperty",
    "sameIndividualAs": OWL + "sameAs",
    "differentIndividualFrom": OWL + "differentFrom",
    "toClass": OWL + "allValuesFrom",
    "hasClass": OWL + "someValuesFrom",
    "UniqueProperty": OWL + "FunctionalProperty",
    "UnambiguousProperty": OWL + "InverseFunctionalProperty",
    "AbstractProperty": OWL + "ObjectProperty",
    "Disjoint": OWL + "AllDisjointClasses",
    "hasClassQ": OWL + "onClass",
    "cardinalityQ": OWL + "qualifiedCardinality",
    "minCardinalityQ": OWL + "minQualifiedCardinality",
    "maxCardinalityQ": OWL + "maxQualifiedCardinality",
}
_TERMS: Mapping[str, str] = _OTHER | {
    name: space + name for space, names in _SAME.items() for name in names.split()
}
_EQUIVALENT = "equivalentTo"
_OF_PROPERTIES = frozenset(
    (RDF + "Property", *(f"{OWL}{kind}Property" for kind in (
        "Object", "Datatype", "Transitive", "Functional", "InverseFunctional", "Symmetric",
        "Annotation",
    )))
)  # fmt: skip
_BETWEEN_PROPERTIES = (RDFS + "subPropertyOf", OWL + "inverseOf", OWL + "equivalentProperty")
_ABOUT_PROPERTIES = (*_BETWEEN_PROPERTIES, RDFS + "domain", RDFS + "range")
_OF_CLASSES = frozenset((RDFS + "Class", OWL + "Class", RDFS + "Datatype"))


def translate_daml(text: RdfText) -> RdfText:
    """Translate the text from DAML+OIL; any other text stays as it is."""
    text = replace(text, prefixes={name: _space(each) for name, each in text.prefixes.items()})
    if not any(_is_old(each) for triple in text.triples for each in _names(triple)):
        return text
    triples = [(_term(subject), _name(prop), _term(value)) for subject, prop, value in text.triples]
    return replace(text, triples=tuple(dict.fromkeys(_equivalences(triples))))


def _equivalences(triples: list[tuple[Term, str, Term]]) -> Iterable[Triple]:
    """Translate `equivalentTo` between properties, between classes, and between individuals."""
    properties = _properties_in(triples)
    classes = _classes_in(triples)
    for subject, prop, value in triples:
        assert not isinstance(subject, Literal)
        if not prop.endswith("#" + _EQUIVALENT) or not prop.startswith(DAML_SPACES):
            yield subject, prop, value
        elif subject in properties or value in properties:
            yield subject, OWL + "equivalentProperty", value
        elif subject in classes or value in classes or not isinstance(value, Iri):
            yield subject, OWL + "equivalentClass", value
        else:
            yield subject, OWL + "sameAs", value


def _properties_in(triples: Iterable[tuple[Term, str, Term]]) -> set[Term]:
    found: set[Term] = set()
    for subject, prop, value in triples:
        found.add(Iri(prop))
        if prop in _ABOUT_PROPERTIES or (
            prop == RDF_TYPE and isinstance(value, Iri) and value.text in _OF_PROPERTIES
        ):
            found.add(subject)
        if prop in _BETWEEN_PROPERTIES or prop == OWL + "onProperty":
            found.add(value)
    return found


def _classes_in(triples: Iterable[tuple[Term, str, Term]]) -> set[Term]:
    found: set[Term] = set()
    for subject, prop, value in triples:
        if prop == RDF_TYPE:
            found.add(subject if isinstance(value, Iri) and value.text in _OF_CLASSES else value)
        elif prop in (RDFS + "subClassOf", OWL + "equivalentClass", OWL + "disjointWith"):
            found |= {subject, value}
    return found


def _names(triple: Triple) -> Iterable[str]:
    subject, prop, value = triple
    yield prop
    yield from (each.text for each in (subject, value) if isinstance(each, Iri))
    if isinstance(value, Literal):
        yield value.datatype


def _is_old(name: str) -> bool:
    return name.startswith((*DAML_SPACES, *_OLD_SPACES))


def _term(term: Term) -> Term:
    match term:
        case Iri(text):
            return Iri(_name(text))
        case Literal(lexical, datatype, language):
            return Literal(lexical, _name(datatype), language)
        case _:
            return term


def _name(name: str) -> str:
    """Return the name used today; a name that is not a term of DAML+OIL stays as it is."""
    if not _is_old(name):
        return name
    for space, today in _OLD_SPACES.items():
        if name.startswith(space):
            local = name.removeprefix(space)
            return today + (_OLD_DATATYPES.get(local, local) if today == XSD else local)
    return _TERMS.get(name.rpartition("#")[2], name)


def _space(namespace: str) -> str:
    """Return the namespace that a prefix stands for today.

    So `xsd:decimal` of a subscription is the datatype that the triples name. XML writes that of XML
    Schema without `#`, too. The terms of DAML+OIL have several namespaces today, so its own
    namespace stays.
    """
    marked = namespace if namespace.endswith("#") else f"{namespace}#"
    return XSD if marked == XSD else _OLD_SPACES.get(marked, namespace)
