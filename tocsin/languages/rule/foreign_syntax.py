"""Hints for syntax borrowed from other event processors."""

from __future__ import annotations

import re

from tocsin.languages.base.texts import SyntaxErrorContext

_CURLY = frozenset("“”„‟‘’‚‛«»")
_QUANTIFIER = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d+)?\s*)?\}|\*|\+|\?")
_SEQUENCE = re.compile(r"->|→|=>|>>|(?i:followed\s+by|followedby|next|until|and\s+then)\b|;")
_LIKE_WHERE = re.compile(r"(?i:having|if|filter|on|with)\b")
_GROUPS = re.compile(r"(?i:group\s+by|partition\s+by|per|by|keyed\s+by)\s+([\w.]+)")
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
    found = _GROUPS.match(error.here)
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
