"""The graph of an event: RDF triples and the home vertex that they speak of. The only door to pyoxigraph.

RDF data (Turtle, N-Triples, JSON-LD, RDF/XML) is read as it stands; nothing is ever fetched, so a remote JSON-LD
context is refused. Other data is lifted: an object is a blank node, a member a property, a scalar a typed literal; null
says nothing, an array repeats the property. The same data gives the same triples, labels included, in every process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from tocsin.errors import EventProblem
from tocsin.events.views.document import ITEM, TEXT, Documented, attributes_of, parse_xml, scalar_text
from tocsin.events.views.names import default_iri
from tocsin.events.views.payload import JSON_LD, N_TRIPLES, RDF_XML, TURTLE, is_xml, media_type

Resource: TypeAlias = NamedNode | BlankNode
Term: TypeAlias = NamedNode | BlankNode | Literal
Vocabulary: TypeAlias = Callable[[str], str]

_HOME_IRI = NamedNode("urn:ops:H")
_HOME_MARK = NamedNode("urn:ops:home")
_HOME_BLANK = BlankNode("H")
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDF_TYPE, _RDF_VALUE = NamedNode(_RDF + "type"), NamedNode(_RDF + "value")
_XSD = "http://www.w3.org/2001/XMLSchema#"
_TRUE = Literal("true", datatype=NamedNode(_XSD + "boolean"))
_DATATYPES = {
    bool: NamedNode(_XSD + "boolean"),
    int: NamedNode(_XSD + "integer"),
    float: NamedNode(_XSD + "double"),
}
_FORMATS = {
    JSON_LD: RdfFormat.JSON_LD,
    N_TRIPLES: RdfFormat.N_TRIPLES,
    RDF_XML: RdfFormat.RDF_XML,
    TURTLE: RdfFormat.TURTLE,
}
_GENERATED_LABEL = re.compile("[0-9a-f]{16,32}")
_MAX_QUOTED = 100


@dataclass(frozen=True, slots=True)
class Graph:
    """Triples, each once, in the order of the data; every label of a blank node is local to this graph."""

    triples: tuple[Triple, ...]
    home: Resource


def graph_of(event: Documented, vocabulary: Vocabulary = default_iri) -> Graph:
    """The event's graph; `vocabulary` gives the IRI of a member name. Malformed or homeless RDF is an EventProblem."""
    kind = media_type(event.envelope)
    if event.data is not None and kind in _FORMATS:
        return _read(event.data, kind)
    if event.data is not None and is_xml(kind):
        return _lifted(attributes_of(event), _without_marks(vocabulary))
    return _lifted(event.data, vocabulary)


def _read(data: object, kind: str) -> Graph:
    text = data if isinstance(data, str) else _json_ld_text(data, kind)
    if kind in (N_TRIPLES, TURTLE) and text.count("<<") > _MAX_QUOTED:  # the reader follows quoted triples by recursion
        raise _quoted()
    if kind == RDF_XML:
        parse_xml(text)  # refuses entities, which the RDF reader would expand
    try:
        quads = list(parse(text.encode(), format=_FORMATS[kind], without_named_graphs=True))
    except (SyntaxError, UnicodeEncodeError) as error:
        raise _malformed(error, kind) from None
    triples = _plainly_labelled(
        list(dict.fromkeys(_triple(quad.subject, quad.predicate, quad.object) for quad in quads))
    )
    return Graph(tuple(triple for triple in triples if not _is_home_mark(triple)), _home(triples))


def _json_ld_text(data: object, kind: str) -> str:
    if kind != JSON_LD:
        raise EventProblem(f"{kind} data is a string, got {type(data).__name__}", token="data")
    return json.dumps(data)


def _triple(subject: object, predicate: NamedNode, value: object) -> Triple:
    if not isinstance(subject, NamedNode | BlankNode) or not isinstance(value, NamedNode | BlankNode | Literal):
        raise _quoted()
    return Triple(subject, predicate, value)


def _quoted() -> EventProblem:
    return EventProblem("RDF statements about statements are not served", hint="leave out << ... >>")


def _malformed(error: Exception, kind: str) -> EventProblem:
    if "LoadDocumentCallback" in str(error):
        return EventProblem("a remote JSON-LD context is never fetched", hint="write the context into the event")
    reason = error.msg if isinstance(error, SyntaxError) else error
    return EventProblem(f"malformed {kind}: {reason}")


def _plainly_labelled(triples: list[Triple]) -> list[Triple]:
    """The triples with `b1`, `b2` and so on for labels that the reader made up, which differ from run to run."""
    blanks = dict.fromkeys(term for triple in triples for term in _vertices(triple) if isinstance(term, BlankNode))
    made_up = [blank for blank in blanks if _GENERATED_LABEL.fullmatch(blank.value)]
    taken = {blank.value for blank in blanks}
    free = (BlankNode(label) for label in (f"b{number}" for number in count(1)) if label not in taken)
    labels: dict[Any, Any] = dict(zip(made_up, free, strict=False))
    return [
        Triple(labels.get(triple.subject, triple.subject), triple.predicate, labels.get(triple.object, triple.object))
        for triple in triples
    ]


def _home(triples: Sequence[Triple]) -> Resource:
    """The home vertex: `urn:ops:H`, else the one marked by `urn:ops:home true`, else `_:H`, else the single root."""
    vertices = {vertex for triple in triples for vertex in _vertices(triple)}
    if _HOME_IRI in vertices:
        return _HOME_IRI
    if marked := _resources(triple.subject for triple in triples if _is_home_mark(triple)):
        return _only(marked, "marked as home")
    if _HOME_BLANK in vertices:
        return _HOME_BLANK
    reached = {triple.object for triple in triples if triple.predicate != _RDF_TYPE and triple.object != triple.subject}
    return _only(_resources(triple.subject for triple in triples if triple.subject not in reached), "roots")


def _vertices(triple: Triple) -> Iterator[object]:
    """Subject and object; a class is no vertex."""
    yield triple.subject
    if triple.predicate != _RDF_TYPE or isinstance(triple.object, BlankNode):
        yield triple.object


def _resources(terms: Iterable[object]) -> list[Resource]:
    return [term for term in dict.fromkeys(terms) if isinstance(term, NamedNode | BlankNode)]


def _only(found: list[Resource], role: str) -> Resource:
    if len(found) != 1:
        names = ", ".join([*map(str, found[:5]), *(["..."] if len(found) > 5 else [])]) or "none"
        raise EventProblem(
            f"the graph has no single home vertex; {role}: {names}",
            hint="name it <urn:ops:H>, or add: X <urn:ops:home> true",
        )
    return found[0]


def _is_home_mark(triple: Triple) -> bool:
    return triple.predicate == _HOME_MARK and triple.object == _TRUE


def _lifted(data: object, vocabulary: Vocabulary) -> Graph:
    """The graph of JSON data; what is no object is the value, or the items, of the home vertex."""
    naming = vocabulary if isinstance(data, dict | list | tuple) else _without_marks(vocabulary)
    triples: dict[Triple, None] = {}
    numbers = count(1)

    def state(subject: BlankNode, members: dict[str, Any]) -> None:
        for predicate, value in _statements(members, naming):
            inner = {ITEM: value} if isinstance(value, list | tuple) else value
            if not isinstance(inner, dict):
                triples[Triple(subject, predicate, _literal(inner))] = None
                continue
            vertex = BlankNode(f"b{next(numbers)}")
            triples[Triple(subject, predicate, vertex)] = None
            state(vertex, inner)

    state(_HOME_BLANK, data if isinstance(data, dict) else {ITEM if isinstance(data, list | tuple) else TEXT: data})
    return Graph(tuple(triples), _HOME_BLANK)


def _statements(members: dict[str, Any], naming: Vocabulary) -> Iterator[tuple[NamedNode, Any]]:
    """What an object says: a property and a value for each member and each item of an array; null says nothing."""
    for name, value in members.items():
        predicate = NamedNode(naming(name))
        for item in value if isinstance(value, list | tuple) else (value,):
            if item is not None:
                yield predicate, item


def _literal(value: object) -> Literal:
    if isinstance(value, str):
        return Literal(value)
    return Literal(scalar_text(value), datatype=_DATATYPES.get(type(value)))


def _without_marks(vocabulary: Vocabulary) -> Vocabulary:
    """Names as an XML event has them: `@name` is a property like any other, an element's own text is `rdf:value`."""
    return lambda name: _RDF_VALUE.value if name == TEXT else vocabulary(name.removeprefix("@"))
