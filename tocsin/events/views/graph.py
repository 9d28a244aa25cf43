"""The graph of an event: arcs between vertices, the classes of each vertex, and the home vertex.

RDF data (Turtle, N-Triples, JSON-LD, RDF/XML) is read unchanged and nothing is fetched; EPCIS
events use the vocabulary of their standard; other data is lifted. Refused with the codes of the
specification: more or less than one home, a vertex that no path reaches from home, and more triples
than the limit. The same data gives the same graph, labels included, in every process. Written as
Turtle it is read as the same graph with the same home vertex.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from tocsin.errors import EventProblem, LimitProblem, SyntaxProblem
from tocsin.events.views.document import Documented, attributes_of, parse_xml
from tocsin.events.views.epcis import EpcisData, epcis_to_triples
from tocsin.events.views.json_to_graph import Vocabulary, json_to_triples
from tocsin.values.media_types import JSON_LD, RDF_TYPES, RDF_XML, is_xml, media_type
from tocsin.values.rdf import read_rdf, write_turtle
from tocsin.values.terms import (
    BOOLEAN,
    HOME,
    RDF,
    RDF_TYPE,
    THING,
    Iri,
    Literal,
    Resource,
    Term,
    Triple,
)

MAX_TRIPLES = 50_000

Arc: TypeAlias = tuple[Resource, str, Term]
Declared: TypeAlias = dict[Term, dict[str, None]]

_LIST, _OF_LISTS = RDF + "List", (RDF + "first", RDF + "rest")
HOME_IRI = Iri("urn:ops:H")
HOME_MARK = ("urn:ops:home", Literal("true", BOOLEAN))


@dataclass(frozen=True, slots=True)
class Graph:
    """Arcs, each once, in the order of the data, and the classes of every vertex; `rdf:type` is not
    an arc.

    The class of a literal is its datatype; a resource without a class is an owl:Thing, a node of an
    RDF list an rdf:List. Labels are local to this graph.
    """

    home: Resource
    arcs: tuple[Arc, ...]
    types: Mapping[Term, tuple[str, ...]]


class Viewed(Documented, Protocol):
    """An event with its views."""

    @property
    def graph(self) -> Graph:
        """The graph, lifted without a vocabulary."""


def graph_of(event: Documented, vocabulary: Vocabulary | None = None) -> Graph:
    """Return the event's graph, JSON and XML lifted with the vocabulary.

    Malformed RDF, or RDF without one home vertex, raises EventProblem.
    """
    kind = media_type(event.envelope)
    if event.data is not None and kind in RDF_TYPES:
        return _checked(_read(event.data, kind))
    if isinstance(event.data, EpcisData):
        home, triples = epcis_to_triples(event.data)
        return _lifted(triples, home)
    marked = event.data is not None and is_xml(kind)
    data = attributes_of(event) if marked else event.data
    home, triples = json_to_triples(
        data, str(event.envelope.get("type", "")), vocabulary, marked=marked
    )
    return _lifted(triples, home)


def graph_in(event: Viewed, vocabulary: Vocabulary) -> Graph:
    """Return the event's graph with a vocabulary; RDF and EPCIS have their own and ignore it."""
    is_rdf = event.data is not None and media_type(event.envelope) in RDF_TYPES
    return (
        event.graph if is_rdf or isinstance(event.data, EpcisData) else graph_of(event, vocabulary)
    )


def _read(data: object, kind: str) -> Sequence[Triple]:
    text = data if isinstance(data, str) else _json_ld_text(data, kind)
    if kind == RDF_XML:
        parse_xml(text)  # raises for entities, which the RDF reader would expand
    try:
        return read_rdf(text, kind, limit=MAX_TRIPLES).triples
    except LimitProblem:
        raise _too_large() from None
    except SyntaxProblem as problem:
        raise EventProblem(
            problem.message, code="EVENT_PARSE", place=problem.place, hint=problem.hint
        ) from None


def _json_ld_text(data: object, kind: str) -> str:
    if kind != JSON_LD:
        raise EventProblem(
            f"{kind} data is a string, got {type(data).__name__}", code="EVENT_PARSE", token="data"
        )
    return json.dumps(data)


def _checked(triples: Sequence[Triple]) -> Graph:
    marked = list(dict.fromkeys(subject for subject, *rest in triples if tuple(rest) == HOME_MARK))
    statements = [triple for triple in triples if triple[1:] != HOME_MARK] if marked else triples
    declared = _declared(statements)
    home = _home(statements, declared, marked)
    declared.setdefault(home, {})
    graph = _graph(statements, home, declared)
    _refuse_unreachable(graph)
    return graph


def _declared(triples: Iterable[Triple]) -> Declared:
    """Return every vertex with its declared classes; a class is not a vertex."""
    declared: Declared = {}
    for subject, prop, value in triples:
        classes = declared.setdefault(subject, {})
        if prop == RDF_TYPE:
            if isinstance(value, Iri):
                classes[value.text] = None
            continue
        declared.setdefault(value, {})
        if prop in _OF_LISTS:
            classes[_LIST] = None
    return declared


def _graph(triples: Iterable[Triple], home: Resource, declared: Declared) -> Graph:
    types = {term: _classes(term, classes) for term, classes in declared.items()}
    return Graph(home, tuple(triple for triple in triples if triple[1] != RDF_TYPE), types)


def _lifted(triples: Sequence[Triple], home: Resource) -> Graph:
    """Return the graph of lifted triples, which have a home and are connected by construction."""
    if len(triples) > MAX_TRIPLES:
        raise _too_large()
    return _graph(triples, home, {home: {}, **_declared(triples)})


def _classes(term: Term, declared: Iterable[str]) -> tuple[str, ...]:
    return (term.datatype,) if isinstance(term, Literal) else tuple(declared) or (THING,)


def _refuse_unreachable(graph: Graph) -> None:
    following: dict[Term, list[Term]] = {}
    for subject, _, value in graph.arcs:
        following.setdefault(subject, []).append(value)
    seen: set[Term] = {graph.home}
    waiting: list[Term] = [graph.home]
    while waiting:
        fresh = [term for term in following.get(waiting.pop(), ()) if term not in seen]
        seen.update(fresh)
        waiting += fresh
    if lost := [term for term in graph.types if term not in seen]:
        raise EventProblem(
            f"no path leads from the home vertex {graph.home} to {_listed(lost)}",
            code="EVENT_UNREACHABLE",
            token=str(lost[0]),
            hint="connect it to home, or leave it out",
        )


def _home(
    triples: Sequence[Triple], vertices: Collection[Term], marked: list[Resource]
) -> Resource:
    """Return the home vertex: `urn:ops:H`, else the one with `urn:ops:home true`, else `_:H`, else
    the single root.
    """
    if HOME_IRI in vertices or HOME_IRI in marked:
        return HOME_IRI
    if marked:
        return _only(marked, "marked as home")
    if HOME in vertices:
        return HOME
    reached = {value for subject, prop, value in triples if prop != RDF_TYPE and value != subject}
    return _only(
        list(dict.fromkeys(subject for subject, *_ in triples if subject not in reached)), "roots"
    )


def _only(found: list[Resource], role: str) -> Resource:
    if len(found) != 1:
        raise EventProblem(
            f"the graph has no single home vertex; {role}: {_listed(found) or 'none'}",
            code="EVENT_MANY_HOMES" if found else "EVENT_NO_HOME",
            hint="name it <urn:ops:H>, or add: X <urn:ops:home> true",
        )
    return found[0]


def _too_large() -> EventProblem:
    return EventProblem(
        f"the graph has more than {MAX_TRIPLES:,} triples",
        code="EVENT_TOO_LARGE",
        hint="send it as several events",
    )


def _listed(terms: Sequence[Term]) -> str:
    return ", ".join([*map(str, terms[:5]), *(["..."] if len(terms) > 5 else [])])


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
