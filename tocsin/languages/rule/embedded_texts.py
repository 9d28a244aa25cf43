"""Texts of other languages inside a rule, masked before the grammar reads it; every offset stays
true.

Three kinds: atoms in braces, conditions in parentheses after a type, and the states of BECOMES,
CEASES and HOLDS. A state ends at the next word of the rule: its AND and OR are its own. Masked
characters become characters of private use, which the grammar accepts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tocsin.errors import Place, SyntaxProblem
from tocsin.languages.base.embedded import blank_braces

CODE = "RuleSyntaxError"
PRIVATE = 0xF0000
"""First character of private use on its plane, and the offset between a character and its mask."""

_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_WORD = r"(?:[^\W\d]\w*|`[^`]+`)(?:\.(?:\w+|`[^`]+`))*"
_BRACE = re.compile(rf"{_QUOTED}|`[^`]*`|--[^\n]*|([^\W\d]\w*)?\s*\{{")
_COMMENT = re.compile(rf"{_QUOTED}|`[^`]*`|(--[^\n]*)")
_TOKEN = re.compile(rf"{_QUOTED}|(?P<word>{_WORD})(?P<open>\s*\()?")
_BRACKET = re.compile(rf"{_QUOTED}|`[^`]*`|[()]")
OPENERS = frozenset(
    """WHEN THEN NO AND OR NOT BEFORE AFTER MEETS BY OVERLAPS STARTS DURING CONTAINS FINISHES EQUALS
    COUNT SUM AVG MIN MAX FIRST LAST DISTANCE WHERE SELECT POLYGON MULTIPOLYGON""".split()
)
"""Words before a parenthesis that is not a condition on an event; types of that name have
backticks.
"""

_CHANGES = frozenset(("BECOMES", "CEASES", "HOLDS"))
_OPERATOR_AFTER = r"(?!\s*(?:[=<>!+*/.,)-]|(?i:is|like|in|between|not)\b))"
_PLACED = re.compile(rf"\s*(?i:inside|near)\s+(?!(?i:is|like|in|between|not)\b)(?:{_WORD})")
_ALLEN = (
    r"before|after|meets|met\s+by|overlaps|overlapped\s+by|starts|started\s+by|during|contains"
    r"|finishes|finished\s+by|equals"
)
_END = re.compile(
    rf"""{_QUOTED}|`[^`]*`|[()]
    |(?<![\w.])(?P<end>(?i:then|within|where|select|policy|horizon|ring|for|over|all\s+within
      |(?:not\s+)?(?:{_ALLEN}))(?![\w.:]){_OPERATOR_AFTER})
    |(?<![\w.])(?P<signed>(?i:where|select)(?=\s*[+-]))
    |(?<![\w.])(?P<times>(?i:[x×]\s*\d+(?:\s*\.\.\s*\d+|\s*\+)?)(?![\w.])
      (?=\s*(?:$|\)|(?i:then|within|and|or|for|where|all|ring|select|policy|horizon)\b)))""",
    re.VERBOSE,
)
_INCOMPLETE = re.compile(r"(?:[<>=+*/(,-]|(?<!\w)(?i:and|or|not|like|in|between|escape))$")


def mask(text: str) -> str:
    """Return the text without comments and with all texts of other languages masked."""
    _refuse_private(text)
    blank = blank_braces(text, _BRACE, CODE)
    plain = _COMMENT.sub(_blank_comment, blank)
    pieces, kept = [], 0
    for start, end in _inner(plain):
        pieces += [plain[kept:start], _exchange(plain[start:end])]
        kept = end
    hidden = "".join((*pieces, plain[kept:]))
    return hidden if blank == text else _with_braces(text, blank, hidden)


def unmask(text: str) -> str:
    """Return the text without masks."""
    return "".join(chr(ord(each) - PRIVATE) if ord(each) >= PRIVATE else each for each in text)


def _exchange(text: str) -> str:
    return "".join(chr(ord(each) + PRIVATE) if ord(each) < 0x10000 else each for each in text)


def _with_braces(text: str, blank: str, hidden: str) -> str:
    """Return the text with the content of braces masked instead of blank."""
    return "".join(
        _exchange(each) if each != empty else left
        for each, empty, left in zip(text, blank, hidden, strict=True)
    )


def _inner(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each condition and each state."""
    at = 0
    while found := _TOKEN.search(text, at):
        at, word = found.end(), (found["word"] or "").upper()
        if word in _CHANGES and not text.startswith((":", "."), found.end("word")):
            start, at = _state(text, found.end("word"))
            yield start, at
        elif found["open"] and word not in OPENERS:
            end = _closing(text, at)
            yield at, end
            at = end


def _state(text: str, start: int) -> tuple[int, int]:
    """Return start and end of a state; it is empty for a state of a region."""
    if _PLACED.match(text, start):
        return start, start
    depth, end = 0, len(text)
    for found in _END.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        stops = depth == 0 and (found["end"] or _ends_state(text, start, found))
        if depth < 0 or stops:
            end = found.start()
            break
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    return first, max(first, start + len(inside.rstrip()))


def _ends_state(text: str, start: int, found: re.Match[str]) -> bool:
    """True if `x3` is a number of times, or `select +a.v` a clause, and the state is complete.

    Both words are attributes if a value is still missing before them.
    """
    before = text[start : found.start()].rstrip()
    may_end = found["times"] is not None or found["signed"] is not None
    return may_end and bool(before) and not _INCOMPLETE.search(before)


def _closing(text: str, start: int) -> int:
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise SyntaxProblem(
        "the parenthesis is not closed",
        code=CODE,
        place=Place.at(text, start - 1),
        token="(",
        hint="close the condition with ), as in order(price < 400); a parenthesis inside quotes"
        " does not count",
    )


def _blank_comment(found: re.Match[str]) -> str:
    return " " * len(found[1]) if found[1] else found[0]


def _refuse_private(text: str) -> None:
    for offset, character in enumerate(text):
        if ord(character) >= PRIVATE:
            raise SyntaxProblem(
                "a character of private use has no place in a rule",
                code=CODE,
                place=Place.at(text, offset),
                token=ascii(character),
                hint="leave it out, or compare with an attribute that holds it",
            )
