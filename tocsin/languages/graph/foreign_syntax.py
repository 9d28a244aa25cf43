"""Hints for syntax borrowed from SPARQL, Turtle and other languages."""

from __future__ import annotations

import re

from tocsin.languages.base.parsing import END
from tocsin.languages.base.texts import CURLY_QUOTES, SyntaxErrorContext, find_hint

_BEGINS_TRIPLE = re.compile(r"(?:_:\w|\?\w|<|[\w-]*:[\w-])")
_TRIPLE = re.compile(r"(\S+)\s+(\S+)\s+([^\s.;}]+)")
_FILTER = re.compile(
    r"(?:(?i:filter|where|and|if|having)\s*|[|&,]+\s*)?\(?\s*"
    r"(\?\w+\s*(?:<=|>=|!=|=~|=|<|>)\s*[^\s)]+)"
)
_STATEMENT = "(_:H, ?1, (Selling, target, Computer))"


def hint_for_foreign_syntax(error: SyntaxErrorContext, in_braces: bool) -> str:
    """Return a hint for syntax borrowed from another language, or "".

    `in_braces`: the SPARQL-like spelling is being read.
    """
    rules = _IN_BRACES if in_braces else _IN_STATEMENTS
    return find_hint(error, (_characters, *rules))


def _characters(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in CURLY_QUOTES:
        return 'write straight quotes, as in "laptop"'
    if re.search(r"(?i)\bprefix\s+[\w-]*:$", error.just_before) and error.could_be("IRIREF"):
        return "an IRI stands in angle brackets: PREFIX ex: <http://example.org/>"
    if error.here.startswith(("//", "--", "/*")):
        return "a comment begins with # and ends with its line"
    return ""


def _bare_triples(error: SyntaxErrorContext) -> str:
    """Return a hint for `_:H :target ?1` without ASK and braces, and for ASK without braces."""
    if error.before.strip() and not re.search(r"(?i)\b(?:ask|where|>)$", error.just_before):
        return ""
    if not _BEGINS_TRIPLE.match(error.here) or not (
        error.could_be("ASK") or error.could_be("LBRACE")
    ):
        return ""
    triple = _TRIPLE.match(error.here)
    shown = " ".join(triple.groups()) if triple else "_:H :target ?1"
    return (
        f"triples stand in braces: ASK {{ {shown} . }}, and a statement in parentheses:"
        f" {_STATEMENT}"
    )


def _filters(error: SyntaxErrorContext) -> str:
    """Return a hint for a filter behind its statement."""
    text = f"FILTER {error.here}" if error.before.upper().endswith("FILTER") else error.here
    found = _FILTER.match(text)
    if found is None or ")" not in error.before:
        return ""
    return (
        "a filter is the last thing inside its statement: (_:H, ?x, (owl:Thing, price,"
        f" rdfs:Literal), {found[1]})"
    )


def _statements(error: SyntaxErrorContext) -> str:
    """Return a hint on the form of a statement."""
    if error.found.expected == {"OPEN"} and error.here:
        return f"the third thing is class, property and class in parentheses: {_STATEMENT}"
    if error.found.expected == {"_COMMA"} and not error.here.startswith(")"):
        return f"commas stand between the things of a statement: {_STATEMENT}"
    if error.here.startswith(".") and error.before.endswith(")"):
        return "statements need nothing between them; a dot stands between triples, in braces"
    if error.here.startswith(".") and error.could_be(END):
        return "leave the dot out; it stands between triples, in braces"
    if (
        error.found.terminal == END
        and re.match(r"(?i)\s*select\b", error.before)
        and ")" not in error.before
    ):
        return "a pattern is missing: select ?x { _:H :target ?x . }"
    return ""


def _triples(error: SyntaxErrorContext) -> str:
    """Return a hint for triples in braces: what is missing, and its place."""
    here = error.here[:1]
    if here == "." and error.found.terminal == "_DOT":
        return (
            "something is missing before the dot: a triple is subject property object, as in _:H"
            " :target ?1 ."
        )
    if _BEGINS_TRIPLE.match(error.here) and error.could_be("_DOT"):
        return (
            "a dot is missing before it: triples are subject property object, with a dot between"
            " them"
        )
    if here == "}" and not error.could_be("RBRACE"):
        return "triples are subject property object, as in _:H :target ?1 ."
    if re.search(r"(?i)\bfilter\s+\?\w+$", error.just_before):
        return "a filter stands in parentheses: FILTER (?1 < 400)"
    return ""


_IN_STATEMENTS = (_bare_triples, _filters, _statements)
_IN_BRACES = (_triples,)
