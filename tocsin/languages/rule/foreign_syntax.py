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


def hint_for_foreign_syntax(slip: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return next(filter(None, (rule(slip) for rule in _FOREIGN_SYNTAX_HINTS)), "")


def _signs(slip: SyntaxErrorContext) -> str:
    here = slip.here[:1]
    if here and here in _CURLY:
        return "write straight quotes, as in order(kind = 'a')"
    if slip.here.startswith(("//", "/*", "#")):
        return "a comment is -- to the end of the line"
    if slip.here.startswith(("&&", "||")):
        return f"write {'AND' if here == '&' else 'OR'}"
    if slip.here.startswith("!") and slip.could_be("NO"):
        return "an absence is NO, as in a THEN NO b WITHIN 2h"
    if slip.here.startswith("$") or (slip.here.startswith("?") and slip.could_be("NAME")):
        return "a part is named with a colon, a: order, and its attributes are a.price"
    if slip.here.strip() == ";":
        return "leave ; out at the end"
    return ""


def _orders(slip: SyntaxErrorContext) -> str:
    if _SEQUENCE.match(slip.here) and slip.could_be("_THEN"):
        return "one after the other is THEN, as in a THEN b WITHIN 5m"
    return ""


def _quantifiers(slip: SyntaxErrorContext) -> str:
    found = _QUANTIFIER.match(slip.here) if slip.could_be("REPEAT") else None
    if found is None:
        return ""
    if found[1]:
        return f"write x{found[1]}" + (f"..{found[3]}" if found[3] else "+" if found[2] else "")
    return "write how often: x1+ is once or more, x3 three times, x2..5 two to five times"


def _grouping(slip: SyntaxErrorContext) -> str:
    found = _GROUPS.match(slip.here)
    if found and slip.could_be("_FOR_EACH"):
        return f"write FOR EACH {found[1]}"
    return ""


def _conditions(slip: SyntaxErrorContext) -> str:
    if _LIKE_WHERE.match(slip.here) and slip.could_be("_WHERE"):
        return "compare parts with WHERE, as in WHERE b.price > a.price"
    if re.match(r"[<>=!]", slip.here) and slip.could_be("_THEN") and slip.last_word:
        return (
            "a condition stands in parentheses after the type of the event:"
            f" order({slip.last_word} {slip.here[:1]} ...)"
        )
    return ""


def _times(slip: SyntaxErrorContext) -> str:
    found = _WINDOWS.match(slip.here)
    if found and found[1] and slip.could_be("_WITHIN"):
        return f"write WITHIN {found[1]}"
    if slip.found.terminal == "NOT" or re.match(r"(?i:not)\s", slip.here):
        return "an absence is NO, as in a THEN NO b WITHIN 2h"
    return ""


_FOREIGN_SYNTAX_HINTS = (_signs, _orders, _quantifiers, _grouping, _conditions, _times)
"""From the most to the least specific."""
