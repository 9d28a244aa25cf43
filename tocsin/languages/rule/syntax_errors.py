"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion.

Syntax borrowed from other event processors has hints of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.errors import SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    SyntaxErrorContext,
    TerminalNames,
    find_hint,
    nearest,
    split_at_error,
    unexpected_problem,
)
from tocsin.languages.rule.printer import CODE

# Syntax borrowed from other event processors.

_CURLY = frozenset("“”„‟‘’‚‛«»")
_QUANTIFIER = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d+)?\s*)?\}|\*|\+|\?")
_SEQUENCE = re.compile(r"->|→|=>|>>|(?i:followed\s+by|followedby|next|until|and\s+then)\b|;")
_LIKE_WHERE = re.compile(r"(?i:having|if|filter|on|with)\b")
_PARTITIONS = re.compile(r"(?i:group\s+by|partition\s+by|per|by|keyed\s+by)\s+([\w.]+)")
_WINDOWS = re.compile(r"(?i:in|during|last|window|timer:within)\s*\(?\s*(\d+\s*\w+)?")


def hint_for_foreign_syntax(error: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return next(filter(None, (rule(error) for rule in _FOREIGN_SYNTAX_HINTS)), "")


def _signs(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in _CURLY:
        return "write straight quotes, as in order(kind = 'a')"
    if error.here.startswith(("//", "/*", "#")):
        return "a comment is -- to the end of the line"
    if error.here.startswith(("&&", "||")):
        return f"write {'AND' if here == '&' else 'OR'}"
    if error.here.startswith("!") and error.could_be("NO"):
        return "an absence is NO, as in a THEN NO b WITHIN 2h"
    if error.here.startswith("$") or (error.here.startswith("?") and error.could_be("NAME")):
        return "a part is named with a colon, a: order, and its attributes are a.price"
    if error.here.strip() == ";":
        return "leave ; out at the end"
    return ""


def _orders(error: SyntaxErrorContext) -> str:
    if _SEQUENCE.match(error.here) and error.could_be("_THEN"):
        return "one after the other is THEN, as in a THEN b WITHIN 5m"
    return ""


def _quantifiers(error: SyntaxErrorContext) -> str:
    found = _QUANTIFIER.match(error.here) if error.could_be("REPEAT") else None
    if found is None:
        return ""
    if found[1]:
        return f"write x{found[1]}" + (f"..{found[3]}" if found[3] else "+" if found[2] else "")
    return "write how often: x1+ is once or more, x3 three times, x2..5 two to five times"


def _grouping(error: SyntaxErrorContext) -> str:
    found = _PARTITIONS.match(error.here)
    if found and error.could_be("_FOR_EACH"):
        return f"write FOR EACH {found[1]}"
    return ""


def _conditions(error: SyntaxErrorContext) -> str:
    if _LIKE_WHERE.match(error.here) and error.could_be("_WHERE"):
        return "compare parts with WHERE, as in WHERE b.price > a.price"
    if re.match(r"[<>=!]", error.here) and error.could_be("_THEN") and error.last_word:
        return (
            "a condition stands in parentheses after the type of the event:"
            f" order({error.last_word} {error.here[:1]} ...)"
        )
    return ""


def _times(error: SyntaxErrorContext) -> str:
    found = _WINDOWS.match(error.here)
    if found and found[1] and error.could_be("_WITHIN"):
        return f"write WITHIN {found[1]}"
    if error.found.terminal == "NOT" or re.match(r"(?i:not)\s", error.here):
        return "an absence is NO, as in a THEN NO b WITHIN 2h"
    return ""


_FOREIGN_SYNTAX_HINTS = (_signs, _orders, _quantifiers, _grouping, _conditions, _times)
"""From the most to the least specific."""


_TOKENS: Mapping[str, str] = {
    "NAME": "a name",
    "LABEL": "a name with a colon",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "COMPARE": "a comparison such as >=",
    "DURATION": "a duration such as 10m",
    "STATE": "a condition",
    "CONDITION": "a condition in parentheses",
    "PATH": "an attribute such as .amount",
    "REPEAT": "a number of times such as x3",
    "ALLEN": "a relation such as DURING",
    "RING": "RING",
    "EACH": "[]",
    "EMBEDDED": "an atom in braces",
    "FUNCTION": "SUM",
    "FIRST": "FIRST",
    "_FOR_EACH": "FOR EACH",
    "_ALL_WITHIN": "ALL WITHIN",
    "_OPEN": '"("',
    "_CLOSE": '")"',
    "_COMMA": '","',
    "PLUS": '"+"',
    "MINUS": '"-"',
    "TIMES": '"*"',
    "SLASH": '"/"',
    END: "the end of the rule",
}
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset("NAME EMBEDDED LABEL COUNT FUNCTION _OPEN NO".split()), "a part"),
    (frozenset("NAME EMBEDDED LABEL COUNT FUNCTION _OPEN".split()), "a part"),
    (
        frozenset("NAME NUMBER STRING TRUE FALSE COUNT FUNCTION FIRST DISTANCE _OPEN".split())
        | {"PLUS", "MINUS"},
        "a value",
    ),
    (frozenset("PLUS MINUS TIMES SLASH".split()), "an operator"),
    (frozenset(("STATE", "_INSIDE", "_NEAR")), "a state such as temperature > 8 or INSIDE Depot"),
    (frozenset("BECOMES CEASES HOLDS ENTERS LEAVES".split()), "a change such as BECOMES"),
    (
        frozenset("_FOR_EACH _WHERE _ALL_WITHIN RING _SELECT _POLICY _HORIZON".split()),
        "a clause such as FOR EACH",
    ),
)
_VOCABULARY = TerminalNames(_TOKENS, frozenset(("BLANK", "POLYGON")), _GROUPS)
_KEYWORDS = tuple(
    """WHEN THEN AND OR NO WITHIN BECOMES CEASES HOLDS ENTERS LEAVES OVER EVERY WHERE SELECT RING
    POLICY HORIZON INSIDE NEAR AS BEFORE AFTER MEETS OVERLAPS STARTS DURING CONTAINS FINISHES
    EQUALS FOR ALL DISTINCT COUNT""".split()
)
_NOT_ALONE = {"FOR": "FOR EACH", "ALL": "ALL WITHIN"}


@dataclass(frozen=True, slots=True)
class RuleErrorContext(SyntaxErrorContext):
    """Text around the error."""

    @property
    def word(self) -> str:
        """Word at the error, or ""."""
        found = re.match(r"[^\W\d]\w*", self.here)
        return found[0] if found else ""


def syntax_problem(text: str, found: Unexpected) -> SyntaxProblem:
    """Return the problem of a text that is not in the grammar."""
    token = text[found.offset : found.offset + len(found.token)]
    shown = Unexpected(found.offset, found.terminal, token, found.expected)
    slip = RuleErrorContext(*split_at_error(text, shown), shown)
    hint = find_hint(slip, _RULES)
    return unexpected_problem(text, shown, CODE, _VOCABULARY.describe(found.expected), hint, "rule")


def _beginning(error: RuleErrorContext) -> str:
    if error.found.expected == {"_WHEN"}:
        return "a rule begins with WHEN, as in WHEN order(price > 400) FOR EACH customer"
    return ""


def _misspelt(error: RuleErrorContext) -> str:
    meant = nearest(error.word.upper(), _KEYWORDS, 0.7) if error.word else ""
    if meant not in ("", error.word.upper()) and not error.could_be("NAME"):
        return f"did you mean {_NOT_ALONE.get(meant, meant)}?"
    return ""


def _reserved(error: RuleErrorContext) -> str:
    if error.word.upper() in _KEYWORDS and error.could_be("NAME") and error.found.terminal != END:
        return f"{error.word} is a word of the language; as a name write it in backticks"
    return ""


def _durations(error: RuleErrorContext) -> str:
    if error.could_be("DURATION"):
        return f"after {error.last_word.upper() or 'it'} comes a duration, as in 30s, 10m, 2h or 1d"
    return ""


def _structure(error: RuleErrorContext) -> str:
    sign = error.here[:1]
    if sign == ")" and not error.could_be("_CLOSE") and error.could_be(END):
        return "this parenthesis was never opened"
    if not sign and error.could_be("_CLOSE"):
        return "a parenthesis is not closed"
    if sign in ("'", '"') and not error.found.terminal:
        return "the text has no closing quote"
    if sign == "`":
        return "the name in backticks is empty or has no closing backtick"
    if error.found.terminal == "CONDITION" and not error.could_be("CONDITION"):
        return (
            f"{error.last_word or 'this'} is no function; known are COUNT, SUM, AVG, MIN, MAX,"
            " FIRST, LAST and DISTANCE"
        )
    if error.could_be("STATE"):
        return "say what becomes true, as in BECOMES temperature > 8 or HOLDS INSIDE Depot FOR 30m"
    if error.could_be("_INSIDE"):
        return "a state is a condition, INSIDE a region or NEAR a region and a distance"
    return ""


def _forms(error: RuleErrorContext) -> str:
    if error.found.expected <= {"_OPEN"}:
        return f"write {error.last_word.upper()}(...), with parentheses"
    if error.could_be("_OVER"):
        return "say over how long, as in COUNT(login) >= 3 OVER 5m"
    if error.could_be("COMPARE") and not error.could_be("_THEN"):
        return "compare it, as in COUNT(login) >= 3 OVER 5m or WHERE b.price > a.price"
    if error.could_be("_THEN"):
        return "join parts with THEN, AND or OR; clauses such as FOR EACH and WHERE come at the end"
    if error.could_be("_FOR_EACH"):
        return "at the end stand FOR EACH, WHERE, ALL WITHIN, RING, SELECT, POLICY and HORIZON"
    if error.could_be("EMBEDDED"):
        return "a part is a type with a condition, order(price > 400), or an atom, graph{ ... }"
    if error.could_be("NAME"):
        return "here stands a name; one that is a word of the language stands in backticks"
    return "see docs/languages/rule.md for every form"


_RULES = (_beginning, hint_for_foreign_syntax, _misspelt, _structure, _durations, _reserved, _forms)
"""From the most to the least specific; the last one always has a hint."""
