"""RDF texts as triples: Turtle, N-Triples, N-Quads, RDF/XML and JSON-LD.

The only module that uses pyoxigraph. Nothing is ever fetched: a JSON-LD context given by its
address is refused. Generated labels of blank nodes become `b1`, `b2` and so on, so that the same
text gives the same triples everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from typing import Any
from xml.parsers import expat

from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, parse, serialize
from pyoxigraph import Literal as RdfLiteral
from pyoxigraph import Triple as _Written

from tocsin.errors import LimitProblem, Place, SyntaxProblem
from tocsin.values.limits import RDF_LIMITS, RdfLimits, limit_problem
from tocsin.values.media_types import JSON_LD, N_QUADS, N_TRIPLES, RDF_XML, TURTLE
from tocsin.values.terms import Blank, Iri, Literal, Term, Triple

# Cost of RDF/XML and JSON-LD, checked before they are parsed: the parser expands entities, and
# copies a JSON-LD context wherever another begins, without any limit. Here entities are measured
# and never expanded, and contexts are counted.

_REFERENCE = re.compile(r"&([^\s#&;]+);")


def measure_xml(text: str, limits: RdfLimits) -> dict[str, str]:
    """Return the prefixes of the outermost element; raise if the text is malformed or beyond a
    limit.
    """
    found = _Measured(text, limits)
    parser = expat.ParserCreate("utf-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.EntityDeclHandler = found.declare
    parser.EndDoctypeDeclHandler = found.end_declarations
    parser.StartElementHandler = found.start
    parser.EndElementHandler = found.end
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise SyntaxProblem(
            f"malformed RDF/XML: {expat.ErrorString(error.code)}",
            place=Place(error.lineno, error.offset + 1),
        ) from None
    return found.prefixes


class _Measured:
    """Measurements of an XML text: lengths of entities, depth, and prefixes of the outermost
    element.
    """

    def __init__(self, text: str, limits: RdfLimits) -> None:
        self._text = text
        self._limits = limits
        self._lengths: dict[str, int] = {}
        self._depth = 0
        self._is_outermost = True
        self.prefixes: dict[str, str] = {}

    def declare(self, name: str, is_parameter: bool, value: str | None, *_: object) -> None:
        """Record an entity. If it is declared twice, the longer declaration counts."""
        if is_parameter or value is None:
            raise SyntaxProblem(
                f"the entity {name} is declared elsewhere, and nothing is ever fetched",
                token=name,
                hint="write its text into the declaration",
            )
        inner = sum(self._lengths.get(each, 0) for each in _REFERENCE.findall(value))
        self._lengths[name] = max(self._lengths.get(name, 0), len(value) + inner)

    def end_declarations(self) -> None:
        """Refuse entities that would grow the text too much, those in declarations included."""
        most = self._limits.expansion
        used = _REFERENCE.findall(self._text) if self._lengths else ()
        if sum(self._lengths.get(name, 0) for name in used) > most:
            raise limit_problem(
                f"the entities of the RDF/XML stand for more than {most:,} characters",
                "write the text where an entity stands",
            )

    def start(self, _: str, attributes: dict[str, str]) -> None:
        """Enter an element."""
        self._depth += 1
        if self._depth > self._limits.depth:
            raise limit_problem(
                f"the RDF/XML nests deeper than {self._limits.depth} levels", _FLATTER
            )
        if len(attributes) > self._limits.attributes:
            raise limit_problem(
                f"an element of the RDF/XML has more than {self._limits.attributes:,} attributes",
                "write them as elements, prefixes once and only those that are used",
            )
        if self._is_outermost:
            self._is_outermost = False
            self.prefixes = dict(_prefixes(attributes))

    def end(self, _: str) -> None:
        """Leave an element."""
        self._depth -= 1


_FLATTER = "name the nodes inside and write them beside each other"


def _prefixes(attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in attributes.items():
        before, _, prefix = name.partition(":")
        if before == "xmlns":
            yield prefix, value


class _Members(tuple[tuple[str, Any], ...]):
    """The members of a JSON object as written, repeated names included."""

    __slots__ = ()


def refuse_large_json(text: str, limits: RdfLimits) -> None:
    """Raise if JSON-LD is not JSON, nests too deep, or has contexts that cost too much."""
    try:
        whole = json.loads(text, object_pairs_hook=_Members)
    except RecursionError:
        raise _too_deep(limits) from None
    except json.JSONDecodeError as error:
        raise SyntaxProblem(
            f"malformed JSON-LD: {error.msg}", place=Place(error.lineno, error.colno)
        ) from None
    except ValueError as error:
        raise SyntaxProblem(f"malformed JSON-LD: {error}") from None
    _refuse_contexts(whole, limits)


def _refuse_contexts(whole: Any, limits: RdfLimits) -> None:
    """Raise if names or contexts cost too much.

    Contexts outside copy all terms; one inside a term's definition does so at every member.
    """
    contexts = terms = scoped = members = longest = 0
    for value, depth, around in _walk(whole):
        if depth > limits.depth:
            raise _too_deep(limits)
        if isinstance(value, _Members):
            members += len(value)
            contexts += sum(name == "@context" for name, _ in value)
            terms += len(value) if around else 0
            scoped += len(value) if around > 1 else 0
            longest = max(longest, _longest(value, bool(around)))
    if longest * members > limits.expansion:
        raise limit_problem(
            f"the names of the JSON-LD may have more than {limits.expansion:,} characters together",
            "use a shorter @vocab, @base and shorter prefixes",
        )
    work = terms * contexts + scoped * members
    if terms > limits.context_terms or work > limits.context_work:
        raise limit_problem(
            f"the JSON-LD has contexts of {terms:,} terms that are used {contexts:,} times:"
            " too much work",
            "write one context, with the terms that are used",
        )


def _longest(members: _Members, is_context: bool) -> int:
    """Return the length of the longest context name, or value of one, that may prefix others."""
    given = members if is_context else (each for each in members if each[0] == "@context")
    return max((len(each) for pair in given for each in pair if isinstance(each, str)), default=0)


def _walk(whole: Any) -> Iterator[tuple[Any, int, int]]:
    """Yield every value with its level, and the number of contexts that it is inside of."""
    waiting = [(whole, 1, 0)]
    while waiting:
        value, depth, around = waiting.pop()
        yield value, depth, around
        if isinstance(value, _Members):
            waiting += (
                (inner, depth + 1, around + (name == "@context"))
                for name, inner in value
                if isinstance(inner, list | _Members)
            )
        elif isinstance(value, list):
            waiting += (
                (inner, depth + 1, around) for inner in value if isinstance(inner, list | _Members)
            )


def _too_deep(limits: RdfLimits) -> LimitProblem:
    return limit_problem(f"the JSON-LD nests deeper than {limits.depth} levels", _FLATTER)


EXTENSIONS: Mapping[str, str] = {
    ".ttl": TURTLE,
    ".nt": N_TRIPLES,
    ".nq": N_QUADS,
    ".rdf": RDF_XML,
    ".owl": RDF_XML,
    ".xml": RDF_XML,
    ".daml": RDF_XML,
    ".jsonld": JSON_LD,
}
"""Media type by file extension."""

_FORMATS = {
    JSON_LD: RdfFormat.JSON_LD,
    N_QUADS: RdfFormat.N_QUADS,
    N_TRIPLES: RdfFormat.N_TRIPLES,
    RDF_XML: RdfFormat.RDF_XML,
    TURTLE: RdfFormat.TURTLE,
}
_WITH_QUOTES = (N_TRIPLES, N_QUADS, TURTLE)
_MAX_QUOTED = 100
_DAML_COLLECTION = re.compile(r"""(parseType\s*=\s*)(["'])daml:collection\2""")
_DEFAULT_NAMESPACE = re.compile(r"""\bxmlns\s*=\s*(["'])([A-Za-z][A-Za-z0-9+.-]*:[^"'&\s]+)\1""")
_GENERATED_LABEL = re.compile("[0-9a-f]{16,32}")


@dataclass(frozen=True, slots=True)
class RdfText:
    """The contents of an RDF text: its triples, each once, in the order of the text, and its
    prefixes.
    """

    triples: tuple[Triple, ...]
    prefixes: Mapping[str, str]


def read_rdf(
    text: str,
    media_type: str,
    *,
    limit: int | None = None,
    merge_graphs: bool = False,
    base: str | None = None,
    limits: RdfLimits = RDF_LIMITS,
) -> RdfText:
    """Return the triples of a text.

    Named graphs are refused unless they are merged; so are statements about statements. Relative
    names are resolved against the base that the text itself gives, else against `base`; without one
    they are refused. Raises SyntaxProblem if the text is malformed, LimitProblem past `limit`
    triples and past any of the limits.
    """
    if media_type not in _FORMATS:
        raise SyntaxProblem(
            f"{media_type} is no format of RDF that we know", hint=f"known: {', '.join(_FORMATS)}"
        )
    _refuse_large(text, limits)
    if media_type == RDF_XML and "daml:collection" in text:  # what RDF/XML took over as Collection
        text = _DAML_COLLECTION.sub(r"\1\2Collection\2", text)
    # the reader follows quoted triples by recursion
    if media_type in _WITH_QUOTES and text.count("<<") > _MAX_QUOTED:
        raise _quoted()
    most = limits.triples if limit is None else limit
    try:
        declared = measure_xml(text, limits) if media_type == RDF_XML else {}
        if media_type == JSON_LD:
            refuse_large_json(text, limits)
        reader = parse(
            text.encode(),
            format=_FORMATS[media_type],
            base_iri=base,
            without_named_graphs=not merge_graphs,
        )
        quads = list(islice(_bounded(reader, len(text), limits), most + 1))
    except (SyntaxError, UnicodeEncodeError) as error:
        raise _malformed(error, media_type) from None
    if len(quads) > most:
        raise LimitProblem(f"the graph has more than {most:,} triples", hint="split it")
    terms = _terms(quads)
    triples = (
        (terms[quad.subject], quad.predicate.value, terms[quad.object])
        for quad in dict.fromkeys(quads)
    )
    prefixes = declared if media_type == RDF_XML else dict(reader.prefixes)
    return RdfText(tuple(dict.fromkeys(triples) if merge_graphs else triples), prefixes)


def write_turtle(triples: Iterable[Triple], prefixes: Mapping[str, str] | None = None) -> str:
    """Return the triples as Turtle, in their order; raise SyntaxProblem if an IRI is broken."""
    try:
        written = [
            _Written(_written(subject), NamedNode(prop), _written(value))
            for subject, prop, value in triples
        ]
    except ValueError as error:
        raise SyntaxProblem(f"a name is no IRI: {error}") from None
    text = serialize(written, format=RdfFormat.TURTLE, prefixes=dict(prefixes or {}))
    assert text is not None, "without a file, the text comes back"
    return text.decode()


def _written(term: Term) -> Any:
    match term:
        case Iri(text):
            return NamedNode(text)
        case Blank(label):
            return BlankNode(label)
        case Literal(lexical, _, language) if language:
            return RdfLiteral(lexical, language=language)
        case Literal(lexical, datatype):
            return RdfLiteral(lexical, datatype=NamedNode(datatype))


def base_of(text: str, media_type: str) -> str | None:
    """Guess the base of a text that gives no base.

    In RDF/XML, `rdf:ID` usually means the text's own default namespace. None for other formats.
    """
    found = _DEFAULT_NAMESPACE.search(text) if media_type == RDF_XML else None
    return None if found is None else found[2].removesuffix("#")


def _refuse_large(text: str, limits: RdfLimits) -> None:
    if len(text) > limits.characters:
        raise limit_problem(
            f"the RDF has {len(text):,} characters, the limit is {limits.characters:,}",
            "split it into several texts",
        )


def _bounded(quads: Iterable[Quad], size: int, limits: RdfLimits) -> Iterator[Quad]:
    """Yield the quads; raise once prefixes and bases have expanded them beyond the limit."""
    if size * size <= limits.expansion:  # not even the square of what is written
        yield from quads
        return
    left = limits.expansion
    for quad in quads:
        terms = (quad.subject, quad.predicate, quad.object)
        left -= sum(len(term.value) for term in terms if not isinstance(term, _Written))
        if left < 0:
            raise limit_problem(
                f"the names and texts of the triples have more than {limits.expansion:,} characters"
                " together",
                "use shorter prefixes and bases, or split the text",
            )
        yield quad


def _terms(quads: Iterable[Quad]) -> dict[Any, Any]:
    """Convert each term of the reader once; an event names a vertex many times."""
    found = dict.fromkeys(term for quad in quads for term in (quad.subject, quad.object))
    blanks = dict.fromkeys(term.value for term in found if isinstance(term, BlankNode))
    free = (label for label in (f"b{number}" for number in count(1)) if label not in blanks)
    labels = dict(
        zip((each for each in blanks if _GENERATED_LABEL.fullmatch(each)), free, strict=False)
    )
    return {term: _term(term, labels) for term in found}


def _term(term: object, labels: Mapping[str, str]) -> Term:
    """Convert a term. Generated labels, which differ from run to run, get plain ones."""
    match term:
        case NamedNode():
            return Iri(term.value)
        case BlankNode():
            return Blank(labels.get(term.value, term.value))
        case RdfLiteral():
            return Literal(term.value, term.datatype.value, (term.language or "").lower())
        case _:
            raise _quoted()


def _quoted() -> SyntaxProblem:
    return SyntaxProblem(
        "RDF statements about statements are not served", hint="leave out << ... >>"
    )


def _malformed(error: Exception, media_type: str) -> SyntaxProblem:
    if "LoadDocumentCallback" in str(error):
        return SyntaxProblem(
            "a remote JSON-LD context is never fetched", hint="write the context into the text"
        )
    if not isinstance(error, SyntaxError):
        return SyntaxProblem(f"malformed {media_type}: {error}")
    place = Place(error.lineno, error.offset or 1) if error.lineno else None
    return SyntaxProblem(f"malformed {media_type}: {error.msg}", place=place)
