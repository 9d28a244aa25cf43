"""Text to parameters: the JSON object of an EPCIS query, or the XML of a Poll or Subscribe request.

A named query (`{"name": ..., "query": {...}}`) stands for the query inside it. Prefixes come from
`@context`. The braces of the object may be left out, so that an atom in braces, `epcis{
"EQ_bizStep": ["shipping"] }`, needs no second pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.errors import EventProblem, Problem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.epcis.from_xml import QUERIES, local, parameters_of
from tocsin.events.codecs.epcis.json_context import NameContext, names_of
from tocsin.events.views.document import parse_xml
from tocsin.languages.epcis.problems import parameter_problem, syntax_problem
from tocsin.languages.epcis.syntax_errors import HINT, json_problem, xml_problem


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
