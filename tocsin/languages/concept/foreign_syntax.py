"""Hints for syntax borrowed from other languages."""

from __future__ import annotations

import re

from tocsin.languages.base.texts import CURLY_QUOTES, SyntaxErrorContext, find_hint

_LENGTH = re.compile(r"[(\[]?\s*(\d+(?:\.\d+)?\s*[A-Za-z]*|P[\dTDHMSW.]+)\s*[)\]]?")
_RELATION = re.compile(
    r"(Before|After|Meets|MetBy|Overlaps|OverlappedBy|Starts|StartedBy|During"
    r"|Contains|Finishes|FinishedBy|Equals)\s*$"
)
_WITHIN = re.compile(r"(?i:within|in|for)\s+(\d+\s*[A-Za-z]*|P\w+)")
_SOLE = re.compile(r"(?:\bby|,)\s+one\s+\S+$")
_LENGTH_HERE = (
    "a relation has no length; what stays away for a while is A Before not (B) (48 h anchored)"
)


def hint_for_foreign_syntax(slip: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return find_hint(slip, _RULES)


def _quotes(slip: SyntaxErrorContext) -> str:
    here = slip.here[:1]
    if here and here in CURLY_QUOTES:
        return 'a name stands without quotes, and a text in straight ones: (xsd:string = "abc")'
    return ""


def _ends(slip: SyntaxErrorContext) -> str:
    """Return a hint for comments and end marks."""
    if slip.here.startswith(("//", "--", "/*")):
        return "a comment begins with # and ends with its line"
    if slip.here.strip() == ";" and not slip.could_be("_END"):
        return "leave ; out: it ends an axiom of a .tbox file, and this is a subscription"
    if slip.here.startswith("?"):
        return "there are no variables; correlate by epcList joins events that share a value"
    return ""


def _lengths(slip: SyntaxErrorContext) -> str:
    """Return a hint for `A Before(5 min) B` and `A & not B within 48h`."""
    if _RELATION.search(slip.just_before.removesuffix("(")) and _LENGTH.match(slip.here):
        return _LENGTH_HERE
    if re.search(r"(?:Before|After)\s*\(\s*P[\dTDHMSW.]+\s*\)$", slip.just_before):
        return _LENGTH_HERE
    found = _WITHIN.match(slip.here)
    return (
        f"write A Before not (B) ({found[1]} anchored)"
        if found and slip.could_be("TEMPORAL")
        else ""
    )


def _relations(slip: SyntaxErrorContext) -> str:
    """Return a hint for a relation such as `After` without one of its sides."""
    word = re.match(r"\w+", slip.here)
    if word and _RELATION.match(word[0]) and slip.could_be("NOT"):
        return f"{word[0]} stands between two parts: A {word[0]} B"
    if not slip.here and _RELATION.search(slip.just_before):
        return (
            f"{slip.last_word} stands between two parts, and the second one is missing: A"
            f" {slip.last_word} B"
        )
    return ""


def _roles(slip: SyntaxErrorContext) -> str:
    """Return a hint for `bizStep = shipping` and `bizStep.shipping`."""
    role, value = slip.last_word, re.match(r"\s*(=|\.|:|is\b)\s*[\"']?([^\W\d][\w-]*)", slip.here)
    if role and value and (slip.could_be("TEMPORAL") or slip.could_be("_DOT")):
        exists = "" if re.search(r"(?:exists|forall)\s+[\w:-]+$", slip.just_before) else "exists "
        if value[1] != "." or exists:
            one_of = f"exists {role}.{{{value[2]}}}"
            return (
                f"a role leads to a concept: exists {role}.{value[2]}, or {one_of} for one of a"
                " list"
            )
    return ""


def _correlations(slip: SyntaxErrorContext) -> str:
    if slip.here.startswith("correlate") and slip.before.endswith(("&", "|", "and", "or", ",")):
        return (
            "correlate by stands at the very end, after the last part: A Before B correlate by"
            " epcList"
        )
    if slip.here.startswith("=") and _SOLE.search(slip.just_before):
        return "one is said of a role that all parts have: correlate by one parentID"
    return ""


_RULES = (_quotes, _ends, _lengths, _relations, _correlations, _roles)
"""From the most to the least specific."""
