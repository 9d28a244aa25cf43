"""Cost checks of RDF/XML and JSON-LD before they are parsed.

The parser expands entities, and copies a JSON-LD context wherever another begins, without any
limit. Here entities are measured and never expanded, and contexts are counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from tocsin.errors import LimitProblem, Place, SyntaxProblem
from tocsin.values.limits import RdfLimits, limit_problem

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
