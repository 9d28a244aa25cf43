"""Problems of texts that are not JSON or XML, at their place and with a suggestion."""

from __future__ import annotations

import re

from tocsin.errors import Place, Problem, SyntaxProblem
from tocsin.languages.base.texts import CURLY_QUOTES, show_token
from tocsin.languages.epcis.problems import syntax_problem

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
