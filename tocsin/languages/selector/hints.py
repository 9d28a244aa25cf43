"""A text that leaves the grammar, told to a person: what stands there, what could, and what was probably meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from tocsin.errors import SyntaxProblem
from tocsin.languages.parsing import END, Unexpected
from tocsin.languages.texts import Slip, alternatives, parts_at, unexpected_problem

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
_PUNCTUATION = frozenset(("OPEN", "PLUS", "MINUS", "TIMES", "OVER", "_HASH", "BLANK", "FUNCTION", "MODULO", "_EXISTS"))
_KEYWORDS = frozenset(
    ("AND", "OR", "XOR", "NOT", "LIKE", "ESCAPE", "BETWEEN", "IN", "IS", "NULL", "TRUE", "FALSE", "EXISTS")
)


@dataclass(frozen=True, slots=True)
class Wording:
    """What a dialect says about its own quotes."""

    dialect: str
    double_quotes: bool
    backticks: bool
    quote_inside: str


_TWICE = "write a quote inside a text twice, as in 'it''s'"
_BACKSLASH = "write a backslash before a quote inside a text"

NATIVE_WORDING = Wording("selector", double_quotes=True, backticks=True, quote_inside=_TWICE)
JMS_WORDING = Wording("jms", double_quotes=False, backticks=False, quote_inside=_TWICE)
CESQL_WORDING = Wording("cesql", double_quotes=True, backticks=False, quote_inside=_BACKSLASH)


def syntax_problem(text: str, found: Unexpected, wording: Wording) -> SyntaxProblem:
    """The problem of a text that is not in the grammar."""
    error = _Error(*parts_at(text, found), found, wording)
    hint = next(filter(None, (rule(error) for rule in _RULES)))
    return unexpected_problem(text, found, "SelectorSyntaxError", expected_words(found.expected), hint, "selector")


def expected_words(terminals: frozenset[str]) -> str:
    """The terminals in words, the many ways to begin a value or a condition as one."""
    rest = set(terminals) - _PUNCTUATION
    words: list[str] = []
    for whole, word in ((_CONDITION, "a condition"), (_VALUE, "a value")):
        if whole <= rest:
            rest -= whole
            words.append(word)
    words += sorted(
        (_WORDS.get(each, each.lstrip("_")) for each in rest), key=lambda word: (word.startswith("the "), word)
    )
    return alternatives(words)


@dataclass(frozen=True, slots=True)
class _Error(Slip):
    """What stands around the error, and what the dialect says about it."""

    wording: Wording

    @property
    def keyword(self) -> str:
        """The reserved word that was found, or nothing."""
        word = self.found.terminal.lstrip("_")
        return word if word in _KEYWORDS else ""


def _quotes(error: _Error) -> str:
    here, wording = error.here[:1], error.wording
    if here == '"' and not wording.double_quotes:
        return "the jms dialect writes texts in single quotes"
    if here == "`" and not wording.backticks:
        return f"names in backticks are not part of the {wording.dialect} dialect"
    if here == "`":
        return "the name in backticks is empty or has no closing backtick"
    if here in ("'", '"') and not error.found.terminal:
        return "the text has no closing quote"
    touching = len(error.before) == error.found.offset
    if error.before[-1:] in ("'", '"') and error.found.terminal == "NAME" and touching:
        return wording.quote_inside
    return ""


def _relations(error: _Error) -> str:
    pair = error.before[-1:] + error.here[:1]
    if pair in (">=", "<=", "<>"):
        return f"write {pair} without a blank"
    if pair == "==":
        return "write = once"
    if pair in ("=>", "=<"):
        return f"write {pair[::-1]}"
    return _FOREIGN.get(error.here[:2], "")


def _words(error: _Error) -> str:
    if error.keyword == "NULL" and error.before[-1:] in ("=", "<", ">"):
        return "a comparison with NULL is never true; write IS NULL or IS NOT NULL"
    if error.keyword == "NULL" and error.before[-1:] in ("(", ","):
        return "NULL cannot stand in a list; add OR ... IS NULL"
    if error.keyword and error.could_be("NAME"):
        way_out = "write it in backticks" if error.wording.backticks else "it cannot be a name"
        return f"{error.keyword} is a reserved word; {way_out}"
    if error.found.terminal == "NAME":
        expected = [word for word in _KEYWORDS if error.could_be(word) or error.could_be("_" + word)]
        near = get_close_matches(error.found.token.upper(), expected, n=1, cutoff=0.6)
        return f"did you mean {near[0]}?" if near else ""
    return ""


def _structure(error: _Error) -> str:
    here = error.here[:1]
    if error.before[-1:] == "#":
        return "# ends the selector; nothing may follow it"
    if here == "#" and error.wording.dialect != "selector":
        return f"the end mark # is not part of the {error.wording.dialect} dialect"
    if here == ")" and re.search(r"\bin\s*\($", error.before, re.IGNORECASE):
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


def _forms(error: _Error) -> str:
    last = re.search(r"\w*$", error.before)
    word = last[0].upper() if last else ""
    if error.could_be("_AND") and not error.could_be("_OR"):
        word = "BETWEEN"
    return _FORMS.get(word, "compare a name with a value, as in price < 400")


_FOREIGN = {"!=": "write <>", "&&": "write AND", "||": "write OR"}
_FORMS = {
    "IS": "write IS NULL or IS NOT NULL",
    "BETWEEN": "write BETWEEN low AND high",
    "IN": "write IN ('a', 'b')",
    "NOT": "NOT stands before a condition, or before LIKE, IN and BETWEEN",
    "LIKE": "write LIKE 'a%'",
    "ESCAPE": "write ESCAPE '!'",
    "EXISTS": "write EXISTS and the name of an attribute",
}
_RULES = (_quotes, _relations, _words, _structure, _forms)
"""From the most to the least specific; the last one always has something to say."""
