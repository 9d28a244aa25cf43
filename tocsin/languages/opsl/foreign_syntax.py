"""Hints for syntax borrowed from other languages: its signs and forms, then its words.

Each looks at the parenthesis that is open at the error, and at its operator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.languages.base.texts import SyntaxErrorContext, end_of

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
