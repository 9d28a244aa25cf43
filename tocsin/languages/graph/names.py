"""Names of a text as IRIs: written out, with a prefix of the text or the ontology, or bare.

A bare name belongs to the default namespace of the text. Without one it is a term of the ontology:
that of its default namespace, else the only one with that local name. Classes and properties must
be known, and become canonical names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache

from tocsin.events.views.names import VOCABULARY
from tocsin.knowledge.ontology import Ontology, local_name, open_ontology
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.values.terms import RDF_TYPE

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
