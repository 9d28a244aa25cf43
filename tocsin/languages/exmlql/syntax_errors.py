"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion."""

from __future__ import annotations

import re

from tocsin.errors import MeaningProblem, Place, Problem, SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.suggestions import nearest
from tocsin.languages.base.texts import (
    LONGEST_TOKEN,
    SourceSpan,
    SyntaxErrorContext,
    TerminalNames,
    end_of,
    split_at_error,
    unexpected_problem,
)
from tocsin.languages.exmlql.building import Misplaced
from tocsin.languages.exmlql.foreign_syntax import hint_for_foreign_syntax
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.term_transformer import unknown_function
from tocsin.languages.exmlql.transformer import RESERVED
from tocsin.plan.xml.row_functions import FUNCTION_NAMES

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
    "_WITHIN": "WITHIN",
    "_NAMESPACE": "NAMESPACE",
    "_IN": "IN",
    "_AND": "AND",
    "_OR": "OR",
    "_ESCAPE": "ESCAPE",
    "NOT_WORD": "NOT",
    "ORDER_BY": "ORDER-BY",
    "CALL": "a function such as upper(",
    "STEP": "a name",
    "CLOSING_TAG": "a name",
    "PLUS": "+",
    "MINUS": "-",
    "SLASH": "/",
    "OPTIONAL": "?",
    "_DOT": '"."',
    END: "the end of the subscription",
}
_VOCABULARY = TerminalNames(_WORDS, end_last=False)
_WORDS_IN_CAPITALS = (*RESERVED, "AND", "OR", "NOT", "LIKE", "IN", "ESCAPE", "DESCENDING")
_KEYWORDS = (*_WORDS_IN_CAPITALS, "Recent", "Exclusive", "Globe")
_PATH_SIGNS = ".*+?|"
_IN_PATH = frozenset(("_CLOSING", "ALTERNATIVE", "_DOT", "STAR", "PLUS", "OPTIONAL"))
_VARIABLE_IN_PATH = "a variable for a name stands alone: <$tag>; inside of a path $ is any name"
_SEE = "see the grammar: WHERE patterns and conditions, times, CONTEXT, ORDER-BY, CONSTRUCT"
_TAG = re.compile(r'"[^"]*"|<(/?)([^\W\d][\w.:-]*|(?<=/))[^<>"]*>')
_OPENED = re.compile(r"([^\W\d][\w.\-]*)\($")


def syntax_problem(text: str, found: Unexpected) -> Problem:
    """Return the problem of a text that is not in the grammar."""
    called = _OPENED.search(end_of(text[: found.offset].rstrip()))
    if called and called[1] not in FUNCTION_NAMES:
        return misplaced_problem(text, unknown_function(SourceSpan(called.start(), called[1])))
    if (
        text[: found.offset].rstrip().endswith("(")
        and "COMPARE" not in found.expected
        and "CALL" in found.expected
    ):
        return _not_arithmetic(text, found)
    if "CLOSE" in found.expected and (crossed := _crossed_tags(text)):
        return misplaced_problem(text, crossed)
    hint = _hint(*split_at_error(text, found), found)
    return unexpected_problem(
        text, found, SYNTAX_CODE, _VOCABULARY.describe(found.expected), hint, "subscription"
    )


def misplaced_problem(text: str, found: Misplaced) -> Problem:
    """Return the problem of a token that the grammar allows and the language does not."""
    kind = SyntaxProblem if found.code == SYNTAX_CODE else MeaningProblem
    place = Place.at(text, found.spot.offset)
    return kind(
        found.message,
        code=found.code,
        place=place,
        token=found.spot.text[:LONGEST_TOKEN],
        hint=found.hint,
    )


def _not_arithmetic(text: str, found: Unexpected) -> Problem:
    """Return the problem of a parenthesis with other content than values."""
    hint = (
        'a calculation stands in parentheses, as in ($a + 1); a text goes in double quotes: "(...)"'
    )
    return unexpected_problem(
        text, found, SYNTAX_CODE, _VOCABULARY.describe(found.expected), hint, "subscription"
    )


def _hint(before: str, here: str, found: Unexpected) -> str:
    """Return the hint of the first common mistake that fits."""
    if hint := hint_for_foreign_syntax(SyntaxErrorContext(before, here, found)):
        return hint
    if not before and "WHERE" in found.expected:
        word = re.match(r"\w+", here)
        if meant := nearest(word[0].upper(), ("WHERE", "NAMESPACE")) if word else "":
            return f"did you mean {meant}, in capital letters? A subscription begins with WHERE"
        return "a subscription begins with WHERE, as in WHERE <order><id>$x</></>"
    if here.startswith("/>") or (here == "/" and "_GREATER" in found.expected):
        return "an element is written <name></>, also when it is empty"
    if here.startswith("//") or before.endswith("/"):
        return (
            'there is no descendant operator //: write a path such as <a.$*.b>, or XPATH "//name"'
        )
    if found.terminal == END and "_GREATER" in found.expected:
        return "a tag is not closed with >"
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
    return _near_keyword(here) or _hint_in_value(here, found) or _SEE


def _crossed_tags(text: str) -> Misplaced | None:
    """Return the first tag that closes another than the innermost element: `<order><id>7</order>`.

    None if there is no such tag.
    """
    opened: list[str] = []
    for tag in _TAG.finditer(text):
        if tag[0].startswith('"'):
            continue
        if not tag[1]:
            opened.append(tag[2])
        elif opened and tag[2] in ("", opened[-1]):
            opened.pop()
        elif opened and tag[2] in opened:
            inner = opened[-1]
            hint = f"close <{inner}> before it: </{inner}>, or </> for the innermost element"
            return Misplaced(
                SourceSpan(tag.start(2), tag[2]),
                f"</{tag[2]}> stands where <{inner}> is open",
                hint,
                SYNTAX_CODE,
            )
        else:
            return None
    return None


def _hint_in_value(here: str, found: Unexpected) -> str:
    """Return a hint for a word in place of a value, a missing comparison, or a variable inside a
    path.
    """
    word = re.match(r"[^\W\d][\w.-]*", here)
    if "NUMBER" in found.expected and word:
        return f'a text goes in double quotes: "{word[0]}"'
    if "COMPARE" in found.expected:
        return 'compare the value, as in $x > 5, upper($x) = "A" or $x LIKE "a%"'
    if here.startswith("$") and "STEP" in found.expected:
        return _VARIABLE_IN_PATH
    if here[:1] in _PATH_SIGNS and "_GREATER" in found.expected:
        return _VARIABLE_IN_PATH
    if "STEP" in found.expected or found.expected <= _IN_PATH:
        return "a path is written like <a.b>, <part+.(subpart|component.piece)> or <$*.name>"
    if here.startswith("∧"):
        return "∧ joins conditions: $x > 1 ∧ $y < 2; events are related by ; : || | or _|_"
    return ""


def _near_keyword(here: str) -> str:
    word = re.match(r"\w+", here)
    if word is None:
        return ""
    meant = nearest(word[0].upper(), _WORDS_IN_CAPITALS, 0.75) or nearest(
        word[0].capitalize(), _KEYWORDS, 0.75
    )
    return f"{meant} is written {meant}" if meant and meant != word[0] else ""
