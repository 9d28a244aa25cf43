"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion.

Syntax borrowed from SQL, programming languages and word processors has hints of its own. Each rule
looks at the place where a text left the grammar and returns what to write instead, or "".
"""

from __future__ import annotations

import re
import unicodedata

from tocsin.errors import SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    TerminalNames,
    did_you_mean,
    end_of,
    find_hint,
    split_at_error,
    unexpected_problem,
)
from tocsin.languages.selector.dialects import KEYWORDS, SelectorErrorContext, Wording
from tocsin.languages.selector.problems import SYNTAX_CODE
from tocsin.plan.semantics.computed_conditions import ARGUMENTS

# Syntax borrowed from other languages.

_CURLY = frozenset("“”„‟‘’‚‛«»‹›´")
_LOOKALIKES = dict(
    zip(
        "≤≥≠−–—＝＜＞×÷∧∨¬（），；％",
        (
            "<=",
            ">=",
            "<>",
            "-",
            "-",
            "-",
            "=",
            "<",
            ">",
            "*",
            "/",
            "AND",
            "OR",
            "NOT",
            "(",
            ")",
            ",",
            ";",
            "%",
        ),
        strict=True,
    )
)
_CURRENCIES = frozenset("$€£¥₤₹")
_FOREIGN_WORDS = {
    "contains": "write LIKE '%word%'",
    "includes": "write LIKE '%word%'",
    "startswith": "write LIKE 'word%'",
    "starts": "write LIKE 'word%'",
    "endswith": "write LIKE '%word'",
    "ends": "write LIKE '%word'",
    "matches": "write LIKE, where % is any text and _ one character",
    "regexp": "write LIKE, where % is any text and _ one character",
    "rlike": "write LIKE, where % is any text and _ one character",
    "similar": "write LIKE, where % is any text and _ one character",
    "ilike": "LIKE tells upper from lower case; the amqp dialect has LOWER(name) LIKE 'word%'",
    "equals": "write =",
    "eq": "write =",
    "ne": "write <>",
    "gt": "write >",
    "ge": "write >=",
    "gte": "write >=",
    "lt": "write <",
    "le": "write <=",
    "lte": "write <=",
    "div": "write /",
    "xor": "write (a AND NOT b) OR (NOT a AND b)",
}
_OPENINGS = ("SELECT", "WHERE", "FILTER", "WHEN", "IF")
_TEXTS = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`")
_LAST_WORD = re.compile(r"(\w+)$")
_DIGITS = re.compile(r"([0-9][0-9.,_']*)$")


def characters(error: SelectorErrorContext) -> str:
    """Return a hint for a character that looks like another, or is invisible."""
    here = error.here[:1]
    if here in _CURLY and here:
        return "write straight quotes, as in 'laptop'"
    if here in _LOOKALIKES:
        return f"write {_LOOKALIKES[here]}"
    if here and (not here.isprintable() or unicodedata.category(here) == "Cf"):
        return f"an invisible character stands here (U+{ord(here):04X}); delete it"
    if here in _CURRENCIES and here and not error.wording.backticks:
        return "a number has no unit; write 400"
    if here in ("$", "@", ":", "?") and error.wording.name_quotes:
        return f"{here} is no part of a name; write such a name in {error.wording.name_quotes}"
    if here in _CURRENCIES and here:
        return "a number has no unit; write 400"
    if here in ("{", "}"):
        return "write the condition alone, without braces"
    return ""


def comments(error: SelectorErrorContext) -> str:
    """Return a hint for comments and end marks of other languages."""
    if "--" in _TEXTS.sub("", error.before) or error.here.startswith(("--", "//", "/*")):
        return "a selector has no comments; leave it out"
    if error.before.endswith("/") and error.here[:1] in ("/", "*"):
        return "a selector has no comments; leave it out"
    if error.here[:1] == ";":
        return "leave ; out: a selector is one condition"
    if (
        error.before.lstrip("( ").upper().startswith(_OPENINGS)
        and error.found.terminal in _OPERAND_ENDS
    ):
        return "write the condition alone, as in price < 400"
    return ""


_OPERAND_ENDS = ("NAME", "TIMES", "OPEN", "STRING", "NUMBER", "_COMMA", "")


def numbers(error: SelectorErrorContext) -> str:
    """Return a hint for separators and units of numbers."""
    written, here = _DIGITS.search(end_of(_TEXTS.sub("", error.before))), error.here
    if written is None:
        return ""
    rest = re.match(r"[,_'.]([0-9][0-9,_'.]*)", here)
    if rest and error.touching:
        return (
            f"a number has no separators; write {_plain(written[1] + here[0] + rest[1])}, a point"
            " before a fraction"
        )
    if here[:1] in _CURRENCIES and here:
        return "a number has no unit"
    if error.touching and error.found.terminal == "NAME" and written[1] == "0" and here[:1] in "xX":
        return (
            "bytes and numbers to the base of 16 are not part of this dialect; write a decimal"
            " number"
        )
    if error.touching and error.found.terminal == "NAME":
        return "a number has no unit; join two conditions with AND or OR"
    if here[:1] == "%" and re.match(r"%\s*($|\)|and\b|or\b)", here, re.IGNORECASE):
        return "a number has no unit"
    return ""


def _plain(number: str) -> str:
    """Return the number without separators; the last one is a decimal point if it is unlike all
    others.
    """
    found = re.fullmatch(r"(.*[,._'].*)([,.])([0-9]*)", number)
    if found and found[2] not in found[1]:
        return f"{re.sub('[^0-9]', '', found[1])}.{found[3]}"
    return re.sub("[^0-9]", "", number)


def lists(error: SelectorErrorContext) -> str:
    """Return a hint for brackets behind a name, and for several values in place of one."""
    here, before = error.here[:1], error.before
    if here == "[" and error.touching and re.search(r"[\w`\])]$", before):
        return (
            "a selector looks at no element of a list; a dot leads into an object, as in"
            " order.price; lists are asked by epcis, concept (exists items.{...}), graph and exmlql"
        )
    if here == "[" and re.search(r"\bin$", before, re.IGNORECASE):
        return "write IN ('a', 'b')"
    if here == "[" and error.wording.backticks:
        return "write a name of any characters in backticks"
    if here == "," and not error.could_be("_COMMA"):
        return "write IN ('a', 'b') for several values"
    return ""


def functions(error: SelectorErrorContext) -> str:
    """Return a hint for a word with a parenthesis behind it, and for EXISTS."""
    last = _LAST_WORD.search(error.just_before)
    word = last[1].upper() if last else ""
    if word == "EXISTS" and error.wording.dialect == "amqp":
        return "write EXISTS(price)"
    if (
        word == "EXISTS"
        and not error.wording.functions
        and error.found.terminal in ("NAME", "OPEN")
    ):
        return f"write {_exists_of(error)} IS NOT NULL"
    if error.here[:1] == "(" and word and word not in KEYWORDS and not error.wording.functions:
        if word in _CLOCKS:
            return (
                "a selector knows no clock; write the time itself: ce_time > '2026-01-31T08:00:00Z'"
            )
        of_amqp = (
            f'has {word}: "options": {{"dialect": "amqp"}}' if word in ARGUMENTS else "has some"
        )
        return (
            f"the {error.wording.dialect} dialect has no functions, {word} included; the amqp"
            f" dialect {of_amqp}"
        )
    return ""


_CLOCKS = (
    "NOW",
    "CURRENT_TIMESTAMP",
    "CURRENT_TIME",
    "CURRENT_DATE",
    "GETDATE",
    "TODAY",
    "SYSDATE",
)


def _exists_of(error: SelectorErrorContext) -> str:
    named = re.match(r"\(?\s*(`[^`]+`|[\w.]+)", error.here)
    return named[1] if named else "price"


def words(error: SelectorErrorContext) -> str:
    """Return a hint for words of other languages, and for IS without NULL."""
    if re.search(r"\bis\s+not$", error.just_before, re.IGNORECASE):
        return "write IS NOT NULL, or <> and a value"
    if re.search(r"\bis$", error.just_before, re.IGNORECASE) and error.here:
        return "write = and a value; IS stands in IS NULL and IS NOT NULL only"
    if error.keyword == "NULL" and re.search(r"\bnot$", error.just_before, re.IGNORECASE):
        return "write IS NOT NULL"
    if (
        error.found.terminal == "NAME"
        and error.could_be(END)
        and error.found.token.upper() in _CLAUSES
    ):
        return (
            f"leave {error.found.token.upper()} out: a selector says which events ring, and each"
            " rings as it comes"
        )
    if error.found.terminal == "NAME" and error.could_be("COMPARE"):
        return _FOREIGN_WORDS.get(error.found.token.lower(), "")
    return ""


_CLAUSES = ("LIMIT", "ORDER", "GROUP", "HAVING", "OFFSET", "TOP", "UNION")


def comparisons(error: SelectorErrorContext) -> str:
    """Return a hint for foreign operators, chained comparisons, and a missing name."""
    if error.found.terminal == "COMPARE" and re.search(
        r"\b(and|or)$", error.just_before, re.IGNORECASE
    ):
        return "write the name again, as in price > 1 AND price < 5"
    if (
        error.found.terminal == "COMPARE"
        and error.could_be("_AND")
        and not error.could_be("COMPARE")
    ):
        return "compare two values at a time, as in x > 1 AND x < 5, or x BETWEEN 1 AND 5"
    if error.here[:1] == "~" or error.here[:2] == "!~":
        return "write LIKE, where % is any text and _ one character"
    if re.match(r"!\s+=", error.here):
        return "write != without a blank"
    if error.found.terminal == "COMPARE":
        return ""
    return _OPERATORS.get(error.here[:2], _OPERATORS.get(error.here[:1], ""))


_OPERATORS = {
    "!=": "write <>",
    "&&": "write AND",
    "||": "write OR",
    "&": "write AND",
    "|": "write OR",
    "!": "write NOT",
    "%": "% is part of the dialects amqp and cesql",
    "^": "there is no operator for powers",
    "\\": "a backslash stands in texts only",
}
FOREIGN_SYNTAX_HINTS = (characters, comments, numbers, lists, functions, words, comparisons)


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
