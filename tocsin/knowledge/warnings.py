"""Warnings about an event's graph, given an ontology. The event is processed anyway (spec 7.6, 8).

Reasons: classes and properties that the ontology does not know, literals whose form is not valid
for their datatype, and arcs for which no choice of classes is a legal statement. An arc with an
unknown name gets no second warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tocsin.errors import EventProblem
from tocsin.knowledge.ontology import Ontology
from tocsin.values.terms import Iri, Literal, Term, Triple, value_of


def warnings_in(
    ontology: Ontology, arcs: Iterable[Triple], types: Mapping[Term, tuple[str, ...]]
) -> tuple[EventProblem, ...]:
    """Return the warnings about a graph, each once, in the order of its vertices and arcs."""
    found = (*_about_vertices(ontology, types), *_about_arcs(ontology, arcs, types))
    return _each_once(found)


class VocabularyChecker:
    """The warnings of one ontology, with results cached by combination of names.

    Same results as `warnings_in`. An open ontology knows every name and warns about literals only.
    """

    __slots__ = ("_arcs", "_classes", "_ontology")

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._classes: dict[tuple[str, ...], bool] = {}
        self._arcs: dict[_Kinds, bool] = {}

    def warnings_in(
        self, arcs: Iterable[Triple], types: Mapping[Term, tuple[str, ...]]
    ) -> tuple[EventProblem, ...]:
        """Return the warnings about a graph; vertices and arcs without a fault are skipped by
        cache.
        """
        odd = {term: types[term] for term in types if not self._is_plain(term, types[term])}
        strange = [arc for arc in arcs if not self._is_quiet(types[arc[0]], arc[1], types[arc[2]])]
        if not odd and not strange:
            return ()
        found = (
            *_about_vertices(self._ontology, odd),
            *_about_arcs(self._ontology, strange, types),
        )
        return _each_once(found)

    def _is_plain(self, term: Term, classes: tuple[str, ...]) -> bool:
        if isinstance(term, Literal) and value_of(term) is None:
            return False
        known = self._classes.get(classes)
        if known is None:
            known = all(map(self._ontology.is_class, classes))
            if len(self._classes) < _MAX_CACHED_RESULTS:
                self._classes[classes] = known
        return known

    def _is_quiet(self, subject: tuple[str, ...], prop: str, value: tuple[str, ...]) -> bool:
        key = (subject, prop, value)
        known = self._arcs.get(key)
        if known is None:
            types: dict[Term, tuple[str, ...]] = {_ONE: subject, _OTHER: value}
            known = not any(
                True for _ in _about_arcs(self._ontology, [(_ONE, prop, _OTHER)], types)
            )
            if len(self._arcs) < _MAX_CACHED_RESULTS:
                self._arcs[key] = known
        return known


_Kinds = tuple[tuple[str, ...], str, tuple[str, ...]]
_MAX_CACHED_RESULTS = 10_000
"""Most combinations of names in a cache: events may carry ever new ones."""
_ONE, _OTHER = Iri("urn:one"), Iri("urn:other")


def _each_once(found: tuple[EventProblem, ...]) -> tuple[EventProblem, ...]:
    return tuple({(each.code, each.message): each for each in reversed(found)}.values())[::-1]


def _about_vertices(
    ontology: Ontology, types: Mapping[Term, tuple[str, ...]]
) -> Iterator[EventProblem]:
    for term, classes in types.items():
        for each in classes:
            if not ontology.is_class(each):
                yield EventProblem(
                    f"the class {each} is not known", code="UNKNOWN_CLASS", token=each
                )
        if isinstance(term, Literal) and value_of(term) is None:
            yield EventProblem(
                f"{term} is no value of its datatype", code="ILL_TYPED_LITERAL", token=term.datatype
            )


def _about_arcs(
    ontology: Ontology, arcs: Iterable[Triple], types: Mapping[Term, tuple[str, ...]]
) -> Iterator[EventProblem]:
    for subject, prop, value in arcs:
        if not ontology.is_property(prop):
            yield EventProblem(
                f"the property {prop} is not known", code="UNKNOWN_PROPERTY", token=prop
            )
        elif all(map(ontology.is_class, (*types[subject], *types[value]))) and not any(
            ontology.allows(one, prop, other) for one in types[subject] for other in types[value]
        ):
            shown = f"{subject} <{prop}> {value}"
            yield EventProblem(
                f"the ontology does not allow the statement {shown}",
                code="ILLEGAL_STATEMENT",
                token=prop,
            )
