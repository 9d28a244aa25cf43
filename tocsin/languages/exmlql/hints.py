"""A text that leaves the grammar, told to a person: what stands there, what could, and what was probably meant."""

from __future__ import annotations

import re
from difflib import get_close_matches

from tocsin.errors import SyntaxProblem
from tocsin.languages.exmlql.build import RESERVED
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.parsing import END, Unexpected
from tocsin.languages.texts import alternatives, parts_at, unexpected_problem

_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in double quotes",
    "TEXT": "a text",
    "COMPARE": "a comparison such as =",
    "VARIABLE": "a variable such as $x",
    "BLOCK": "a block such as #P",
    "DURATION": "a duration such as 10m",
    "ANY": "$",
    "STAR": "*",
    "TRIGGER": "~>",
    "FORWARD": "=>",
    "THEN": ";",
    "OVERLAPPED": ":",
    "PARALLEL": "||",
    "ALTERNATIVE": "|",
    "NOT": "!",
    "OPENING": '"("',
    "CLOSE": "</",
    "CONTEXT_NAME": "Recent, Exclusive or Globe",
    "_TIMING": "_|_",
    "_CLOSING": '")"',
    "_LEFT": '"["',
    "_RIGHT": '"]"',
    "_COMMA": '","',
    "_EQUAL": '"="',
    "_OPEN": "an element",
    "_GREATER": '">"',
    "_WHERE": "WHERE",
    "_WITHIN": "WITHIN",
    "_NAMESPACE": "NAMESPACE",
    END: "the end of the subscription",
}
_UNSAID = frozenset(("BLANK",))
_KEYWORDS = (*RESERVED, "Recent", "Exclusive", "Globe")


def syntax_problem(text: str, found: Unexpected) -> SyntaxProblem:
    """The problem of a text that is not in the grammar."""
    hint = _hint(*parts_at(text, found), found)
    return unexpected_problem(text, found, SYNTAX_CODE, _expected_words(found.expected), hint, "subscription")


def _expected_words(terminals: frozenset[str]) -> str:
    words = sorted({_WORDS.get(each, each) for each in terminals - _UNSAID})
    return alternatives(words)


def _hint(before: str, here: str, found: Unexpected) -> str:
    """The first of the usual slips that fits."""
    if not before and "_WHERE" in found.expected:
        return "a subscription begins with WHERE, as in WHERE <order><id>$x</></>"
    if here.startswith("/>"):
        return "an element is written <name></>, also when it is empty"
    if here.startswith("//") or before.endswith("/"):
        return 'there is no descendant operator //: write one <*> for each level between, or XPATH "//name"'
    if found.terminal == END and "CLOSE" in found.expected:
        return "an element is not closed: </> closes the innermost one"
    if here.startswith("</"):
        return "this closes an element that is not open"
    if here.startswith('"'):
        return "close the text with a double quote; a quote inside it is written twice"
    if "CLOSE" in found.expected and here[:1] in "#>$":
        return f'a text with {here[0]} goes in double quotes: "..."'
    if "CONTEXT_NAME" in found.expected:
        return "the contexts are Recent, Exclusive and Globe"
    return _near_keyword(here) or "see the grammar: WHERE patterns and conditions, times, CONTEXT, CONSTRUCT"


def _near_keyword(here: str) -> str:
    word = re.match(r"\w+", here)
    near = get_close_matches(word[0].upper(), RESERVED, 1, 0.75) if word else []
    near += get_close_matches(word[0].capitalize(), _KEYWORDS, 1, 0.75) if word and not near else []
    return f"{near[0]} is written {near[0]}" if near and word and near[0] != word[0] else ""
