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


def hint_for_foreign_syntax(error: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return find_hint(error, _RULES)


def _quotes(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in CURLY_QUOTES:
        return 'a name stands without quotes, and a text in straight ones: (xsd:string = "abc")'
    return ""


def _ends(error: SyntaxErrorContext) -> str:
    """Return a hint for comments and end marks."""
    if error.here.startswith(("//", "--", "/*")):
        return "a comment begins with # and ends with its line"
    if error.here.strip() == ";" and not error.could_be("_END"):
        return "leave ; out: it ends an axiom of a .tbox file, and this is a subscription"
    if error.here.startswith("?"):
        return "there are no variables; correlate by epcList joins events that share a value"
    return ""


def _lengths(error: SyntaxErrorContext) -> str:
    """Return a hint for `A Before(5 min) B` and `A & not B within 48h`."""
    if _RELATION.search(error.just_before.removesuffix("(")) and _LENGTH.match(error.here):
        return _LENGTH_HERE
    if re.search(r"(?:Before|After)\s*\(\s*P[\dTDHMSW.]+\s*\)$", error.just_before):
        return _LENGTH_HERE
    found = _WITHIN.match(error.here)
    return (
        f"write A Before not (B) ({found[1]} anchored)"
        if found and error.could_be("TEMPORAL")
        else ""
    )


def _relations(error: SyntaxErrorContext) -> str:
    """Return a hint for a relation such as `After` without one of its sides."""
    word = re.match(r"\w+", error.here)
    if word and _RELATION.match(word[0]) and error.could_be("NOT"):
        return f"{word[0]} stands between two parts: A {word[0]} B"
    if not error.here and _RELATION.search(error.just_before):
        return (
            f"{error.last_word} stands between two parts, and the second one is missing: A"
            f" {error.last_word} B"
        )
    return ""


def _roles(error: SyntaxErrorContext) -> str:
    """Return a hint for `bizStep = shipping` and `bizStep.shipping`."""
    role, value = error.last_word, re.match(r"\s*(=|\.|:|is\b)\s*[\"']?([^\W\d][\w-]*)", error.here)
    if role and value and (error.could_be("TEMPORAL") or error.could_be("_DOT")):
        exists = "" if re.search(r"(?:exists|forall)\s+[\w:-]+$", error.just_before) else "exists "
        if value[1] != "." or exists:
            one_of = f"exists {role}.{{{value[2]}}}"
            return (
                f"a role leads to a concept: exists {role}.{value[2]}, or {one_of} for one of a"
                " list"
            )
    return ""


def _correlations(error: SyntaxErrorContext) -> str:
    if error.here.startswith("correlate") and error.before.endswith(("&", "|", "and", "or", ",")):
        return (
            "correlate by stands at the very end, after the last part: A Before B correlate by"
            " epcList"
        )
    if error.here.startswith("=") and _SOLE.search(error.just_before):
        return "one is said of a role that all parts have: correlate by one parentID"
    return ""


_RULES = (_quotes, _ends, _lengths, _relations, _correlations, _roles)
"""From the most to the least specific."""
