"""Text to parameters: the JSON object of an EPCIS query, or the XML of a Poll or Subscribe.

A named query (`{"name": ..., "query": {...}}`) stands for the query inside it. Prefixes come from
`@context`. The braces of the object may be left out, so that an atom in braces, `epcis{
"EQ_bizStep": ["shipping"] }`, needs no second pair.

A text that is not JSON or XML is a problem at its place, with a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.errors import EventProblem, Place, Problem, SyntaxProblem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.epcis.from_xml import QUERIES, local, parameters_of
from tocsin.events.codecs.epcis.json_context import NameContext, names_of
from tocsin.events.views.document import parse_xml
from tocsin.languages.base.texts import CURLY_QUOTES, show_token
from tocsin.languages.epcis.problems import parameter_problem, syntax_problem

HINT = 'write the parameters of a SimpleEventQuery, like {"EQ_bizStep": ["shipping"]}'
_WHERE = re.compile(r" at line (\d+), column (\d+)$")
_XML_WHERE = re.compile(r", line (\d+), column (\d+)$")
_CONDITION = re.compile(r"\s*[\w.]+\s*(?:=|<|>|!|(?i:like|in|between|is)\b)")
_LISTED = re.compile(r"\s*([A-Z]+_[\w:]+)\s*=\s*['\"]?([^'\"\s&]*)")


def json_problem(text: str, problem: Problem, added: int) -> SyntaxProblem:
    """Return the problem of a text, placed without the `added` characters put before it."""
    found = _WHERE.search(problem.message)
    if found is None:
        return syntax_problem(problem.message, hint=HINT)
    line, column = int(found[1]), int(found[2])
    place = Place(line, max(1, column - (added if line == 1 else 0)))
    here = _rest(text, place)
    return syntax_problem(
        _WHERE.sub("", problem.message),
        place,
        _hint(text, here),
        token=show_token(here[:1].strip()),
    )


def xml_problem(problem: Problem) -> SyntaxProblem:
    """Return the problem of a text that is not XML."""
    found = _XML_WHERE.search(problem.message)
    place = Place(int(found[1]), max(1, int(found[2]))) if found else None
    return syntax_problem(_XML_WHERE.sub("", problem.message), place, HINT)


def _rest(text: str, place: Place) -> str:
    """Return the text from a place on."""
    lines = text.split("\n")[place.line - 1 :]
    return "\n".join(lines)[place.column - 1 :] if lines else ""


def _hint(text: str, here: str) -> str:
    listed = _LISTED.match(text)
    if listed:
        return f'write {{"{listed[1]}": ["{listed[2]}"]}}'
    if _CONDITION.match(text):
        return (
            'this looks like a selector: give it the language "selector", or write {"EQ_bizStep":'
            ' ["shipping"]}'
        )
    if here[:1] == "'":
        return f"JSON has double quotes, not single ones; {HINT}"
    if here[:1] in CURLY_QUOTES and here:
        return f"write straight double quotes; {HINT}"
    if here[:1] in ("}", "]", ","):
        return "leave out the comma: nothing follows it"
    if re.match(r"[A-Za-z_]", here):
        return f"names and texts stand in double quotes; {HINT}"
    if here.startswith(("//", "/*", "#")):
        return "JSON has no comments; leave it out"
    return HINT


@dataclass(frozen=True, slots=True)
class EpcisQuery:
    """Parameters by name as given, the declared prefixes, and the text of the query."""

    parameters: Mapping[str, Any]
    names: NameContext
    text: str


def read(text: str) -> EpcisQuery:
    """Return the query of a text; raise if it is not a query."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return EpcisQuery(_xml_parameters(text), names_of(None), text)
    body = _json_object(text)
    inner = body.get("query")
    if isinstance(inner, dict) and set(body) <= {"@context", "name", "query"}:
        body = {"@context": body.get("@context"), **inner}
    context = names_of(body.get("@context"))
    return EpcisQuery(
        {name: value for name, value in body.items() if name != "@context"}, context, text
    )


def _json_object(text: str) -> dict[str, Any]:
    bare = text.lstrip().startswith('"')
    try:
        body = parse_json(f"{{{text}}}" if bare else text)
    except Problem as problem:
        raise json_problem(text, problem, added=int(bare)) from None
    if not isinstance(body, dict):
        raise syntax_problem("a query is a JSON object", hint=HINT)
    return body


def _xml_parameters(text: str) -> dict[str, Any]:
    try:
        root = parse_xml(text.lstrip("\ufeff \t\r\n"))
        query = next((element for element in root.iter() if local(element) in QUERIES), None)
        if query is None:
            raise syntax_problem(f"the XML holds no {' or '.join(QUERIES)}", hint=HINT)
        return parameters_of(query)
    except EventProblem as problem:
        if problem.token:
            raise parameter_problem(text, problem.token, problem.message, problem.hint) from None
        raise xml_problem(problem) from None
