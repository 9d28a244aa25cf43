"""The graph of an event as Turtle: it is read as the same graph with the same home vertex."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tocsin.events.views.graph import HOME_IRI, HOME_MARK, Graph
from tocsin.events.views.json_to_graph import HOME
from tocsin.values.rdf import Triple, write_turtle
from tocsin.values.terms import RDF_TYPE, THING, Iri, Literal, Resource, Term


def turtle_of(graph: Graph, prefixes: Mapping[str, str] | None = None) -> str:
    """Return the graph as text. Home is first, and marked unless its name is a home name."""
    return write_turtle(_statements(graph), prefixes)


def _statements(graph: Graph) -> Iterator[Triple]:
    by_subject: dict[Resource, list[Triple]] = {graph.home: []}
    for arc in graph.arcs:
        by_subject.setdefault(arc[0], []).append(arc)
    for term in graph.types:
        if not isinstance(term, Literal):
            by_subject.setdefault(term, [])
    for subject, arcs in by_subject.items():
        yield from (
            (subject, RDF_TYPE, Iri(kind))
            for kind in _classes_to_write(subject, graph.types[subject])
        )
        if subject == graph.home and subject not in (HOME, HOME_IRI):
            yield (subject, *HOME_MARK)
        yield from arcs


def _classes_to_write(term: Term, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the classes to write; owl:Thing alone only for blank nodes, which may have no other
    triple.
    """
    return () if isinstance(term, Iri) and classes == (THING,) else classes
