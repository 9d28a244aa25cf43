"""The names of an OWL text: properties, individuals, ranges, and the short forms of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from tocsin.knowledge.concepts.expansion import SPECIAL
from tocsin.knowledge.concepts.expressions import TripleIndex, UnsupportedExpression
from tocsin.values.terms import OWL, RDF, RDF_TYPE, RDFS, Iri, Term

ROLE_TYPES = (OWL + "ObjectProperty", OWL + "DatatypeProperty", RDF + "Property")
VOCABULARIES = (OWL, RDFS, RDF)
_NOTES = {OWL + "AnnotationProperty", OWL + "OntologyProperty"}
_LOCAL_ENDS = "#/:"


def typed_names(node: TripleIndex) -> Iterator[tuple[str, str]]:
    """Yield each name with each of its types."""
    for who, kind in node.pairs(RDF_TYPE):
        if isinstance(who, Iri) and isinstance(kind, Iri):
            yield who.text, kind.text


def properties_of(node: TripleIndex, known: Iterable[str]) -> list[str]:
    """Return declared properties, and those that axioms name, without annotations."""
    kinds: dict[str, set[str]] = {}
    for who, kind in typed_names(node):
        kinds.setdefault(who, set()).add(kind)
    notes = {
        name for name, given in kinds.items() if given & _NOTES and not given & set(ROLE_TYPES)
    }
    declared = (name for name, given in kinds.items() if given & set(ROLE_TYPES))
    return sorted(
        name
        for name in {*declared, *known} - notes
        if name in kinds or not name.startswith(VOCABULARIES)
    )


def individuals_of(node: TripleIndex) -> list[str]:
    """Return declared individuals, instances of the text's own classes, and individuals in an
    enumeration or as the value of a restriction.
    """
    named = OWL + "NamedIndividual"
    typed = {
        who for who, kind in typed_names(node) if kind == named or not kind.startswith(VOCABULARIES)
    }
    return sorted(typed | {each.text for each in _in_expressions(node) if isinstance(each, Iri)})


def _in_expressions(node: TripleIndex) -> Iterator[Term]:
    yield from (value for _, value in node.pairs(OWL + "hasValue"))
    for _, items in node.pairs(OWL + "oneOf"):
        with suppress(UnsupportedExpression):
            yield from node.listed(items)


def ranges_of(node: TripleIndex) -> list[tuple[str, str]]:
    """Return the properties with the named classes of their values."""
    found = ((who, value) for who, value in node.pairs(RDFS + "range"))
    return sorted(
        (who.text, node.name(value))
        for who, value in found
        if isinstance(who, Iri) and isinstance(value, Iri)
    )


def short_names(names: set[str], prefixes: Mapping[str, str]) -> dict[str, str]:
    """Return the short forms of names: the prefixed name, and the local name if it is unambiguous.

    A local name of the default namespace takes precedence; else it must be unique.
    """
    counts = Counter(map(_local, names))
    short = {_local(name): name for name in names if counts[_local(name)] == 1}
    for prefix, namespace in prefixes.items():
        inside = {
            name: name.removeprefix(namespace)
            for name in names
            if namespace and name.startswith(namespace)
        }
        short |= {
            f"{prefix}:{local}" if prefix else local: name
            for name, local in inside.items()
            if local
        }
    return {
        local: name
        for local, name in short.items()
        if local != name and not local.endswith(SPECIAL)
    }


def _local(name: str) -> str:
    return name[max(name.rfind(end) for end in _LOCAL_ENDS) + 1 :]
