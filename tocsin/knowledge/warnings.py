"""What is odd about an event's graph in the light of an ontology. The event is processed all the same (spec 7.6, 8).

Warned of: classes and properties that the ontology does not know, literals whose form is none of their datatype, and
arcs of which no choice of classes is a legal statement. An arc with an unknown name is not warned of a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tocsin.errors import EventProblem
from tocsin.knowledge.ontology import Ontology
from tocsin.values.rdf import Triple
from tocsin.values.terms import Literal, Term, value_of


def warnings_in(
    ontology: Ontology, arcs: Iterable[Triple], types: Mapping[Term, tuple[str, ...]]
) -> tuple[EventProblem, ...]:
    """The warnings about a graph, each once, in the order of its vertices and arcs."""
    found = (*_about_vertices(ontology, types), *_about_arcs(ontology, arcs, types))
    return tuple({(each.code, each.token): each for each in reversed(found)}.values())[::-1]


def _about_vertices(ontology: Ontology, types: Mapping[Term, tuple[str, ...]]) -> Iterator[EventProblem]:
    for term, classes in types.items():
        for each in classes:
            if not ontology.is_class(each):
                yield EventProblem(f"the class {each} is not known", code="UNKNOWN_CLASS", token=each)
        if isinstance(term, Literal) and value_of(term) is None:
            yield EventProblem(f"{term} is no value of its datatype", code="ILL_TYPED_LITERAL", token=str(term))


def _about_arcs(
    ontology: Ontology, arcs: Iterable[Triple], types: Mapping[Term, tuple[str, ...]]
) -> Iterator[EventProblem]:
    for subject, prop, value in arcs:
        if not ontology.is_property(prop):
            yield EventProblem(f"the property {prop} is not known", code="UNKNOWN_PROPERTY", token=prop)
        elif all(map(ontology.is_class, (*types[subject], *types[value]))) and not any(
            ontology.allows(one, prop, other) for one in types[subject] for other in types[value]
        ):
            shown = f"{subject} <{prop}> {value}"
            yield EventProblem(
                f"the ontology does not allow the statement {shown}", code="ILLEGAL_STATEMENT", token=shown
            )
