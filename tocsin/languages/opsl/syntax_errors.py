"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion."""

from __future__ import annotations

import re

from tocsin.errors import SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.suggestions import did_you_mean
from tocsin.languages.base.texts import TerminalNames, find_hint, split_at_error, unexpected_problem
from tocsin.languages.opsl.foreign_syntax import (
    OpslErrorContext,
    hint_for_foreign_syntax,
    of_other_languages,
)

SYNTAX_CODE = "OpslSyntaxError"

_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "COORDINATE": "a number",
    "TEXT": "a text in quotes",
    "COMPARE": "a comparison such as =",
    "NEARNESS": "<, = or >",
    "VARIABLE": "a variable such as $x;",
    "QUANTITY": "a duration such as 60s",
    "ATTRIBUTE": "the name of an attribute",
    "PATH": "an attribute such as .id",
    "POLYGON": "POLYGON",
    "BOTH": "&&",
    "_OR": "||",
    "_BIND": "a binding such as , $x; = A",
    "_COMMA": '","',
    "_IS": '"="',
    "_OPEN": '"("',
    "_CLOSE": '")"',
    "_SEPARATOR": '";"',
    "_COLON": '":"',
    "_WHERE": "WHERE",
    "_AND": "AND",
    END: "the end of the subscription",
}
_PART = frozenset(
    "NOT BETWEEN AFTER CONCURRENT AT IN OVLP SPL DIST _OPEN VARIABLE NAME EMBEDDED TYPE".split()
)
_VOCABULARY = TerminalNames(
    _WORDS, frozenset(("BLANK", "MULTIPOLYGON", "TIMESTAMP")), ((_PART, "a part"),)
)
_OPERATORS = (
    "IN",
    "OVLP",
    "SPL",
    "DIST",
    "POLYGON",
    "MULTIPOLYGON",
    "WHERE",
    "AND",
    "ARITH",
    "STRING",
)
_PAIRS = ("=|", "|=", "||", "&&")
_POLYGON = "write POLYGON((0 0, 10 0, 10 10, 0 10)), two numbers for each corner"


def syntax_problem(text: str, found: Unexpected) -> SyntaxProblem:
    """Return the problem of a text that is not in the grammar."""
    error = OpslErrorContext(*split_at_error(text, found), found)
    hint = find_hint(error, _RULES)
    return unexpected_problem(
        text, found, SYNTAX_CODE, _VOCABULARY.describe(found.expected), hint, "subscription"
    )


def _variables(error: OpslErrorContext) -> str:
    bare = re.match(r"\$\w+(?!\w*;)", error.here)
    if bare:
        return f"a variable ends with a semicolon: {bare[0]};"
    if error.here.startswith("$") and not error.could_be("VARIABLE") and error.could_be("_BIND"):
        return "a binding follows a comma: , $x; = A"
    if error.here.startswith("$") and not re.match(r"\$\w", error.here):
        return "a variable is $, letters or digits, and a semicolon: $x;"
    last = re.search(r"\$\w+;$", error.just_before)
    return _after_variable(error, last[0]) if last else ""


def _after_variable(error: OpslErrorContext, variable: str) -> str:
    if error.could_be("_SEPARATOR"):
        return f"the semicolon belongs to the variable; write another one after it: {variable};60s"
    if error.could_be("_IS"):
        return "after a comma, a variable is bound: $x; = A"
    if error.here.startswith("=") and error.could_be(END):
        return f"the subscription comes first and the bindings after it: {variable}, {variable} = A"
    if error.here.startswith(";"):
        return f"one semicolon is enough here, it belongs to the variable: {variable}"
    return ""


def _windows(error: OpslErrorContext) -> str:
    operator, sign = error.operator, error.here[:1]
    if operator in ("=|", "|=", "!") and sign == ")" and error.could_be("_SEPARATOR"):
        alone = "; to share time with A is |(A)B" if operator != "!" else ""
        return f"a window has two parts: {operator}(A; 60s)B or {operator}(A; B)C{alone}"
    if operator == "|" and sign == ";":
        return (
            "| has one part, as in |(A)B; a window is =|(A; 60s)B for within, |=(A; 60s)B for"
            " after it"
        )
    if operator in ("@", "IN", "OVLP", "SPL") and sign == ";":
        return f"{operator} has one part, as in {operator}(A)B"
    if operator == "DIST" and (
        sign in (")", ";") or error.could_be("NEARNESS") or error.could_be("COMPARE")
    ):
        return "DIST compares with <, = or >, and then a number: DIST(A; <; 5)B"
    if operator == "@" and error.could_be("POLYGON"):
        return "@ takes a region; for the place of a part write IN(A)B"
    return ""


def _glyphs(error: OpslErrorContext) -> str:
    pair, touching = error.before[-1:] + error.here[:1], len(error.before) == error.found.offset
    if pair in _PAIRS and not touching:
        return f"write {pair} without a blank; =| is within a window, |= is after it"
    if re.match(r"=\s+\|", error.here):
        return "write =| without a blank; =| is within a window, |= is after it"
    if error.here.startswith("||") and not error.could_be("_OR"):
        return (
            "|| stands between two parts; |(A)B is at the same time, =| within a window, |="
            " after it"
        )
    if error.here[:1] == "=" and error.before.endswith("||"):
        return "|| is or; write |= for after a window, =| for within one, with a blank after ||"
    if error.here[:2] == "==":
        return "write =| for within a window, |= for after it"
    if error.here[:1] in ("&", "|", "=", "!") and error.could_be("BOTH"):
        return "join parts with && or ||; operators such as =| and |= stand before their part"
    return ""


def _words(error: OpslErrorContext) -> str:
    token = error.found.token
    word = re.match(r"[^\W\d]\w*", error.here)
    if error.found.expected == {"_OPEN"} and error.last_word in _OPERATORS:
        return (
            _POLYGON
            if "POLYGON" in error.last_word
            else f"{error.last_word} is an operator: {error.last_word}(A)B"
        )
    if word and (error.last_word + word[0]).upper() in _OPERATORS and error.last_word:
        return f"write {(error.last_word + word[0]).upper()} without a blank"
    if word and word[0] in ("ARITH", "STRING") and error.could_be("TYPE"):
        return f"the type is followed by a colon: {word[0]}: id = ..."
    if error.last_word and token == "(":
        return did_you_mean(
            error.last_word.upper(), _OPERATORS, 0.5, otherwise="join two parts with && or ||"
        )
    if word and word[0].upper() in _OPERATORS and word[0] not in _OPERATORS:
        return f"write {word[0].upper()} in capital letters"
    if word and word[0] in _OPERATORS and error.could_be("NAME"):
        return f"{word[0]} is a reserved word; it cannot be a name"
    return ""


def _structure(error: OpslErrorContext) -> str:
    sign = error.here[:1]
    if sign == ")" and not error.could_be("_CLOSE") and error.could_be(END):
        return "this parenthesis was never opened"
    if not sign and error.could_be("_CLOSE"):
        return "a parenthesis is not closed"
    if sign in ("'", '"') and not error.found.terminal:
        return "the text has no closing quote"
    if sign in ("{", "}"):
        return "an atom of another language is its name and braces: selector{ price < 400 }"
    if sign == "," and error.opened >= 0 and not error.could_be("_COMMA"):
        return "bindings stand at the very end, outside of all parentheses"
    if sign == ",":
        return (
            "after a comma comes a binding, as in $x; = A, or another predicate, as in ARITH:"
            " id = 5"
        )
    if error.here.startswith("[") and error.could_be("COMPARE"):
        return "write [*] after a list to compare its elements: $a;.epcList[*] = $b;.epcList[*]"
    if error.could_be("PATH") or (error.could_be("VARIABLE") and not error.could_be("NAME")):
        return "WHERE compares attributes of variables: WHERE $A;.id = $C;.id AND $C;.v > $A;.v"
    if error.could_be("COORDINATE") or error.could_be("POLYGON") or "POLYGON" in error.operator:
        return _POLYGON
    return ""


def _forms(error: OpslErrorContext) -> str:
    if error.could_be("QUANTITY") and not error.could_be("NAME"):
        return "after an instant comes a duration: (2024-01-01T00:00:00Z; 60s)"
    if error.could_be("TYPE"):
        return (
            "a part is ARITH: id = 5, a name, a variable $x;, or an operator and a part, as in"
            " =|(A; 60s)B"
        )
    if error.could_be("BOTH"):
        return "join two parts with && or ||"
    return 'a predicate is ARITH: id = 5 or STRING: type = "truck"'


_RULES = (
    hint_for_foreign_syntax,
    _variables,
    of_other_languages,
    _windows,
    _glyphs,
    _words,
    _structure,
    _forms,
)
"""From the most to the least specific; the last one always has a hint."""
