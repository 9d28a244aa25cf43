"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion.

Syntax borrowed from other languages has hints for its signs and forms, then for its words. Each
looks at the parenthesis that is open at the error, and at its operator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.errors import SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    SyntaxErrorContext,
    TerminalNames,
    did_you_mean,
    end_of,
    find_hint,
    split_at_error,
    unexpected_problem,
)

_CALL = re.compile(r"(=\||\|=|\|\||&&|!|\||@|[A-Za-z]+)?\s*$")
_BRACKETS = {"(": 1, ")": -1}


@dataclass(frozen=True, slots=True)
class OpslErrorContext(SyntaxErrorContext):
    """Text around the error."""

    @property
    def opened(self) -> int:
        """Offset of the innermost parenthesis that is open here, or -1."""
        depth = 0
        for offset in range(len(self.before) - 1, -1, -1):
            depth += _BRACKETS.get(self.before[offset], 0)
            if depth > 0:
                return offset
        return -1

    @property
    def operator(self) -> str:
        """Operator of the parenthesis that is open here, or ""."""
        call = _CALL.search(end_of(self.before[: max(0, self.opened)]))
        return (call and call[1]) or ""


_COMPARISON = re.compile(
    r"((?:\.\w+)*)\s*(<=|>=|<>|!=|==|=|<|>)\s*('[^']*'|\"[^\"]*\"|[+-]?[\w.]+)"
)
_PHRASE = re.compile(
    r"((?:\.\w+)*)\s*((?:NOT\s+)?(?:LIKE|BETWEEN|IN\s*\(|IS\b)[^)]*\)?)", re.IGNORECASE
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_UNIT = re.compile(r"\s*([A-Za-z]+)")
_METRES = {
    "m": 1.0,
    "metre": 1.0,
    "metres": 1.0,
    "meter": 1.0,
    "meters": 1.0,
    "cm": 0.01,
    "km": 1_000.0,
    "ft": 0.3048,
    "mi": 1_609.344,
    "mile": 1_609.344,
    "miles": 1_609.344,
    "nm": 1_852.0,
    "nmi": 1_852.0,
}
_SHAPES = frozenset(
    "POINT MULTIPOINT LINESTRING MULTILINESTRING GEOMETRYCOLLECTION CIRCLE BOX ENVELOPE"
    " RECTANGLE".split()
)
_CORNER = re.compile(r"\(\s*([+-]?[\d.]+)[\s,]+([+-]?[\d.]+)")


def hint_for_foreign_syntax(error: OpslErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return _comparison(error) or _distance_with_unit(error) or _other_shape(error)


def _comparison(error: OpslErrorContext) -> str:
    """Return a hint for a comparison without a type, as in `price < 400`."""
    if not error.last_word or not error.could_be("BOTH"):
        return ""
    found = _COMPARISON.match(error.here)
    if found:
        path, relation, value = error.last_word + found[1], found[2].replace("==", "="), found[3]
        said = _typed(path, relation, value)
        typed = f"{said}, or " if said else ""
        return (
            f"a comparison has a type: {typed}selector{{ {path} {relation}"
            f" {_selector_value(value)} }}"
        )
    phrase = _PHRASE.match(error.here)
    return (
        f"say it as a selector: selector{{ {error.last_word}{phrase[1]} {phrase[2].strip()} }}"
        if phrase
        else ""
    )


def _typed(path: str, relation: str, value: str) -> str:
    if _NUMBER.fullmatch(value):
        return f"ARITH: {path} {relation} {value}"
    if relation not in ("=", "!=", "<>"):
        return ""
    return f"STRING: {path} {relation} {value if value[0] in _QUOTES else _quoted(value)}"


_QUOTES = "'\""


def _selector_value(value: str) -> str:
    if _NUMBER.fullmatch(value):
        return value
    return f"'{value[1:-1] if value[0] in _QUOTES else value}'"


def _quoted(word: str) -> str:
    return f'"{word}"'


def _distance_with_unit(error: OpslErrorContext) -> str:
    """Return a hint for a distance with a unit, as in `DIST(A; <; 5km)B`."""
    number, unit = re.search(rf"{_NUMBER.pattern}$", error.just_before), _UNIT.match(error.here)
    if error.operator != "DIST" or number is None or unit is None:
        return ""
    metres = _METRES.get(unit[1].lower())
    shown = f": {number[0]}{unit[1]} is {float(number[0]) * metres:g}" if metres else ""
    return (
        f"a distance is a number, in metres with the option crs EPSG:4326{shown}; else in the"
        " coordinates' own unit"
    )


def _other_shape(error: OpslErrorContext) -> str:
    """Return a hint for a shape that is not a region, as in `@(POINT(1 1))`."""
    word = error.last_word.upper()
    if word not in _SHAPES or not error.here.startswith("("):
        return ""
    corner = _CORNER.match(error.here)
    x, y = (float(corner[1]), float(corner[2])) if corner else (1.0, 1.0)
    (west, east), (south, north) = ((f"{each - 1:g}", f"{each + 1:g}") for each in (x, y))
    ring = f"POLYGON(({west} {south}, {east} {south}, {east} {north}, {west} {north}))"
    return (
        f"a region is a POLYGON or a MULTIPOLYGON, not a {word}; draw one around what is meant:"
        f" {ring}"
    )


# Words and signs of other languages.

_CURLY = frozenset("“”„‟‘’‚‛«»")
_LANGUAGES = ("selector", "graph", "concept", "xml", "epcis")
_QUANTITY = re.compile(r"[+-]?\d+(?:\.\d+)?\s*([A-Za-z]*)")
_JOIN = re.compile(r"(?i:(and|or|xor))\b")
_SEQUENCE = re.compile(r"->|→|(?i:then|before|after|followed|within|until|during)\b")
_POSTFIX = re.compile(r"(@|(?:IN|OVLP|SPL|DIST)(?=\s*\())\s*(\([^;]*\))?")
_LENGTHS = (
    "km",
    "m",
    "cm",
    "ft",
    "mi",
    "mile",
    "miles",
    "nm",
    "nmi",
    "metres",
    "meters",
    "metre",
    "meter",
)


def of_other_languages(error: OpslErrorContext) -> str:
    """Return a hint for a word or sign of another language, or ""."""
    return next(filter(None, (rule(error) for rule in _FOREIGN_RULES)), "")


def _comments(error: OpslErrorContext) -> str:
    if error.here.startswith(("--", "//", "/*", "#")):
        return "a subscription has no comments; leave it out"
    if error.here.strip() == ";":
        return "leave ; out at the end"
    return ""


def _quotes(error: OpslErrorContext) -> str:
    here = error.here[:1]
    return 'write straight quotes, as in STRING: type = "truck"' if here and here in _CURLY else ""


def _equal_twice(error: OpslErrorContext) -> str:
    if error.before.endswith("=") and error.here.startswith("=") and error.could_be("NUMBER"):
        return "write = once"
    return ""


def _parentheses(error: OpslErrorContext) -> str:
    """Return a hint for `selector(price < 400)`."""
    if error.here.startswith("(") and error.last_word.lower() in _LANGUAGES:
        inside = re.match(r"\(([^()]*)", error.here)
        text = inside[1].strip() if inside else "..."
        return (
            f"an atom of another language stands in braces: {error.last_word.lower()}{{ {text} }}"
        )
    return ""


def _quantities(error: OpslErrorContext) -> str:
    """Return a hint for `&&(5km)` and `5km` in place of a part."""
    found = _QUANTITY.match(error.here)
    if found is None or not error.could_be("TYPE") or error.could_be("QUANTITY"):
        return ""
    if found[1].lower() in _LENGTHS and found[1] != "m":
        return (
            "a distance stands between two parts, in metres with the option crs EPSG:4326: DIST(A;"
            " <; 5000)B"
        )
    return "a duration stands in a window, =|(A; 60s)B, and a distance in DIST(A; <; 5000)B"


def _postfix(error: OpslErrorContext) -> str:
    """Return a hint for an operator behind its part, as in `A @(Region1)`."""
    found = _POSTFIX.match(error.here)
    if found is None or not error.could_be("BOTH"):
        return ""
    return (
        f"an operator stands before its part: {found[1]}{found[2] or '(Region1)'}A; join two parts"
        " with && or ||"
    )


def _joins(error: OpslErrorContext) -> str:
    """Return a hint for AND and OR, and for words that mean a sequence."""
    found = _JOIN.match(error.here)
    if found and found[1].upper() == "AND" and error.could_be("_COMMA"):
        return (
            'a comma joins predicates of one event: ARITH: id = 5, STRING: type = "truck"; && joins'
            " two events"
        )
    if found and error.could_be("BOTH"):
        word = found[1].upper()
        sign = "&&" if word == "AND" else "||"
        return (
            f"write {sign} between two parts; conditions on one event are selector{{ a = 1 {word} b"
            " = 2 }"
        )
    if _SEQUENCE.match(error.here) and error.could_be("BOTH"):
        return "one after the other within a minute is =|(A; 60s)B; in a row A, B, C is |=(A; B)C"
    return ""


def _not(error: OpslErrorContext) -> str:
    before = error.last_word.upper() == "NOT" and error.could_be("BOTH")
    if before or (
        error.before.endswith("!") and error.could_be("_OPEN") and not error.here.startswith("(")
    ):
        return (
            "an absence has a window: !(A; 60s)B; what is not true of one event is selector{ NOT"
            " price < 400 }"
        )
    return ""


_FOREIGN_RULES = (
    _comments,
    _quotes,
    _equal_twice,
    _parentheses,
    _quantities,
    _postfix,
    _joins,
    _not,
)
"""From the most to the least specific."""


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
