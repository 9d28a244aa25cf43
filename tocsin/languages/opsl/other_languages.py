"""Hints for words and signs of other languages in an OPSL text."""

from __future__ import annotations

import re

from tocsin.languages.opsl.slip import OpslErrorContext

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
    return next(filter(None, (rule(error) for rule in _RULES)), "")


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


_RULES = (_comments, _quotes, _equal_twice, _parentheses, _quantities, _postfix, _joins, _not)
"""From the most to the least specific."""
