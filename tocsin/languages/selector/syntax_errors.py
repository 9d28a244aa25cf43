"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion."""

from __future__ import annotations

import re

from tocsin.errors import SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.suggestions import did_you_mean
from tocsin.languages.base.texts import TerminalNames, find_hint, split_at_error, unexpected_problem
from tocsin.languages.selector.foreign_syntax import FOREIGN_SYNTAX_HINTS
from tocsin.languages.selector.problems import SYNTAX_CODE
from tocsin.languages.selector.wording import KEYWORDS, SelectorErrorContext, Wording

_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "COMPARE": "a comparison such as =",
    "LOGIC": "AND, OR or XOR",
    "FUNCTION": "a function",
    "OPEN": '"("',
    "_CLOSE": '")"',
    "_COMMA": '","',
    "_HASH": '"#"',
    "_NULL": "NULL",
    END: "the end of the selector",
}
_VALUE = frozenset(("NAME", "NUMBER", "STRING", "TRUE", "FALSE"))
_CONDITION = _VALUE | {"NOT"}
_PUNCTUATION = frozenset(
    ("OPEN", "PLUS", "MINUS", "TIMES", "OVER", "_HASH", "BLANK", "FUNCTION", "MODULO", "_EXISTS")
)
_VOCABULARY = TerminalNames(
    _WORDS, _PUNCTUATION, ((_CONDITION, "a condition"), (_VALUE, "a value"))
)


def syntax_problem(text: str, found: Unexpected, wording: Wording) -> SyntaxProblem:
    """Return the problem of a text that is not in the grammar."""
    error = SelectorErrorContext(*split_at_error(text, found), found, wording)
    hint = find_hint(error, _RULES)
    return unexpected_problem(
        text, found, SYNTAX_CODE, _VOCABULARY.describe(found.expected), hint, "selector"
    )


def _quotes(error: SelectorErrorContext) -> str:
    here, wording = error.here[:1], error.wording
    if here == '"' and not wording.double_quotes:
        return "the jms dialect writes texts in single quotes"
    if here == "`" and not wording.backticks:
        return f"names in backticks are not part of the {wording.dialect} dialect"
    if here == "`":
        return "the name in backticks is empty or has no closing backtick"
    if here in ("'", '"') and not error.found.terminal:
        return "the text has no closing quote"
    if error.before[-1:] in ("'", '"') and error.found.terminal == "NAME" and error.touching:
        return wording.quote_inside
    return ""


def _relations(error: SelectorErrorContext) -> str:
    pair = error.before[-1:] + error.here[:1]
    if pair in (">=", "<=", "<>"):
        return f"write {pair} without a blank"
    if pair == "==":
        return "write = once"
    if pair in ("=>", "=<"):
        return f"write {pair[::-1]}"
    return ""


def _nulls(error: SelectorErrorContext) -> str:
    if error.keyword == "NULL" and error.before[-1:] in ("=", "<", ">"):
        return "a comparison with NULL is never true; write IS NULL or IS NOT NULL"
    if error.keyword == "NULL" and error.before[-1:] in ("(", ","):
        return "NULL cannot stand in a list; add OR ... IS NULL"
    return ""


def _words(error: SelectorErrorContext) -> str:
    if error.keyword and error.could_be("NAME"):
        quotes = error.wording.name_quotes
        way_out = f"write it in {quotes}" if quotes else "it cannot be a name"
        return f"{error.keyword} is a reserved word; {way_out}"
    if error.found.terminal == "NAME":
        expected = [word for word in KEYWORDS if error.could_be(word) or error.could_be("_" + word)]
        return did_you_mean(error.found.token.upper(), expected)
    return ""


def _structure(error: SelectorErrorContext) -> str:
    here = error.here[:1]
    if error.before[-1:] == "#":
        return "# ends the selector; nothing may follow it"
    if here == "#" and error.wording.dialect != "selector":
        return f"the end mark # is not part of the {error.wording.dialect} dialect"
    if here == ")" and re.search(r"\bin\s*\($", error.just_before, re.IGNORECASE):
        return "IN needs at least one value"
    if here == ")" and not error.could_be("_CLOSE") and error.could_be(END):
        return "this parenthesis was never opened"
    if here == ".":
        return "a dot stands between two names, as in order.price"
    if not here and error.could_be("_CLOSE"):
        return "a parenthesis is not closed"
    if error.found.terminal in ("NAME", "NUMBER", "STRING") and error.could_be(END):
        return "join two conditions with AND or OR"
    return ""


def _forms(error: SelectorErrorContext) -> str:
    last = re.search(r"\w*$", error.just_before)
    word = last[0].upper() if last else ""
    if error.could_be("_AND") and not error.could_be("_OR"):
        word = "BETWEEN"
    return _FORMS.get(word, "compare a name with a value, as in price < 400")


_FORMS = {
    "IS": "write IS NULL or IS NOT NULL",
    "BETWEEN": "write BETWEEN low AND high",
    "IN": "write IN ('a', 'b')",
    "NOT": "NOT stands before a condition, or before LIKE, IN and BETWEEN",
    "LIKE": "write LIKE 'a%'",
    "ESCAPE": "write ESCAPE '!'",
    "EXISTS": "write EXISTS and the name of an attribute",
}
_RULES = (_quotes, _relations, _nulls, *FOREIGN_SYNTAX_HINTS, _words, _structure, _forms)
"""From the most to the least specific; the last one always has a hint."""
