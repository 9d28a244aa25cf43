"""Names of a text as IRIs: written out, with a prefix of the text or the ontology, or bare.

A bare name belongs to the default namespace of the text. Without one it is a term of the ontology:
that of its default namespace, else the only one with that local name. Classes and properties must
be known, and become canonical names. Literals become terms: quoted texts with their escapes,
numbers by their form, truth values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache

from tocsin.events.views.names import VOCABULARY
from tocsin.knowledge.ontology import Ontology, local_name, open_ontology
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.graph.syntax import GraphTerm
from tocsin.values.terms import (
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    INTEGER,
    LANG_STRING,
    RDF_TYPE,
    STRING,
    Literal,
)

_SHOWN = 5


@cache
def without_ontology() -> Ontology:
    """Return the ontology used if none is given: it has only the names of members."""
    return open_ontology(VOCABULARY)


class GraphNameResolver:
    """Resolution of the names of one text; an unresolved name is a problem and None."""

    def __init__(
        self, prefixes: Mapping[str, str], ontology: Ontology, problems: ProblemCollector
    ) -> None:
        self._own = prefixes
        self._ontology = ontology
        self._problems = problems

    def class_of(self, spot: SourceSpan) -> str | None:
        """Return the canonical name of a class or datatype."""
        iri = self._iri(spot, self._ontology.is_class, "UNKNOWN_CLASS")
        if iri is None:
            return None
        if not self._ontology.is_class(iri):
            self._unknown(spot, "UNKNOWN_CLASS", "class", self._ontology.classes)
            return None
        return self._ontology.canonical_class(iri)

    def property_of(self, spot: SourceSpan) -> str | None:
        """Return the canonical name of a property; rdf:type is refused."""
        iri = self._iri(spot, self._ontology.is_property, "UNKNOWN_PROPERTY")
        if iri is None:
            return None
        if iri == RDF_TYPE:
            self._problems.add(
                "META_RESERVED",
                spot,
                "rdf:type is no property of a pattern",
                "give the class in the statement's type",
            )
            return None
        if not self._ontology.is_property(iri):
            self._unknown(spot, "UNKNOWN_PROPERTY", "property", self._ontology.properties)
            return None
        return self._ontology.canonical_property(iri)

    def term(self, spot: SourceSpan) -> str | None:
        """Return the IRI of any other term: a vertex, a datatype of a literal."""
        return self._iri(spot, lambda _: True, "SYNTAX")

    def _iri(self, spot: SourceSpan, fits: Callable[[str], bool], code: str) -> str | None:
        if spot.text.startswith("<"):
            return spot.text[1:-1]
        prefix, colon, local = spot.text.partition(":")
        return self._prefixed(spot, prefix, local) if colon else self._bare(spot, fits, code)

    def _prefixed(self, spot: SourceSpan, prefix: str, local: str) -> str | None:
        namespace = self._own.get(prefix, self._ontology.prefixes.get(prefix))
        if namespace is None:
            known = ", ".join(f"{each}:" for each in sorted({*self._own, *self._ontology.prefixes}))
            self._problems.add(
                "SYNTAX",
                spot,
                f"the prefix {prefix}: is not known",
                f"declare it: PREFIX {prefix}: <http://example.org/>; known prefixes: {known}",
            )
            return None
        return namespace + local

    def _bare(self, spot: SourceSpan, fits: Callable[[str], bool], code: str) -> str | None:
        if "" in self._own:
            return self._own[""] + spot.text
        found = self._ontology.named(spot.text)
        fitting = [each for each in found if fits(each)] or found
        if len(fitting) == 1:
            return fitting[0]
        if len(fitting) > 1:
            choices = ", ".join(f"<{each}>" for each in fitting[:_SHOWN])
            self._problems.add(
                code, spot, f"the name {spot.text} means several terms", f"write one of {choices}"
            )
            return None
        default = self._ontology.prefixes.get("")
        if default is not None:
            return default + spot.text
        if code == "SYNTAX":
            self._problems.add(
                code,
                spot,
                f"the name {spot.text} has no namespace",
                "write the IRI, or declare PREFIX : <...>",
            )
        elif code == "UNKNOWN_CLASS":
            self._unknown(spot, code, "class", self._ontology.classes)
        else:
            self._unknown(spot, code, "property", self._ontology.properties)
        return None

    def _unknown(self, spot: SourceSpan, code: str, kind: str, known: Iterable[str]) -> None:
        local = local_name(spot.text.strip("<>"))
        names = {local_name(each): each for each in sorted(known)}
        near = [
            self._ontology.short(names[each])
            for each in get_close_matches(local, names, n=_SHOWN, cutoff=0.6)
        ]
        hint = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"the ontology has no {kind} with such a name"
        )
        self._problems.add(code, spot, f"the {kind} {spot.text} is not known", hint)


# Literals as terms.

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_PLAIN = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


def literal_of(
    node: GraphTerm, names: GraphNameResolver, problems: ProblemCollector
) -> Literal | None:
    """Return the literal of a node, or None if it has a problem."""
    written = node.spot.text
    if written[0] not in "\"'":
        return Literal(written, _datatype(written))
    text = text_of(node.spot, problems)
    if text is None:
        return None
    if node.language:
        return Literal(text, LANG_STRING, node.language)
    datatype = STRING if node.datatype is None else names.term(node.datatype)
    return None if datatype is None else Literal(text, datatype)


def text_of(spot: SourceSpan, problems: ProblemCollector) -> str | None:
    """Return the characters of a quoted text, or None if an escape is invalid."""
    inner = spot.text[1:-1]
    for found in _ESCAPE.finditer(inner):
        if _character(found[1]) is None:
            problems.add(
                "SYNTAX",
                SourceSpan(spot.offset + 1 + found.start(), found[0]),
                f"{found[0]} is no escape",
                'escapes are \\" \\\\ \\n \\t \\r and \\uXXXX; a backslash in a pattern is written'
                " twice",
            )
            return None
    return _ESCAPE.sub(lambda found: _character(found[1]) or "", inner)


def _character(escape: str) -> str | None:
    if escape[0] not in "uU" or len(escape) == 1:
        return _PLAIN.get(escape)
    code = int(escape[1:], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None


def _datatype(written: str) -> str:
    if written in ("true", "false"):
        return BOOLEAN
    return DOUBLE if "e" in written.lower() else DECIMAL if "." in written else INTEGER
