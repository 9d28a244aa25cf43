"""Hints for syntax borrowed from XML, XPath, SQL and XQuery."""

from __future__ import annotations

import re

from tocsin.languages.base.parsing import END
from tocsin.languages.base.texts import CURLY_QUOTES, SyntaxErrorContext, find_hint

_WORD = re.compile(r"[^\W\d][\w.:-]*")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=$")
_VALUE = re.compile(r"['“”‘’]?([^\s'“”‘’\"<>/]*)")
_PREFIX = re.compile(r"NAMESPACE\s+([\w.-]+)\s*=?$")
_NAMESPACE = re.compile(r"=?\s*['“”‘’]?([^\s'“”‘’\"]*)")
_DECLARED = re.compile(r"xmlns:([\w.-]+)\s*=\s*['\"]?([^\s'\"]*)")
_OTHER_JOIN = re.compile(r"->|→|#|&|\+|(?i:then|and|before|followed|after|or)\b")
_JOINS = "; then, : overlapping, || both, | either, as in #A ; #B"


def hint_for_foreign_syntax(slip: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return find_hint(slip, _RULES)


def _comments(slip: SyntaxErrorContext) -> str:
    if slip.here.startswith(("!--", "<!--", "--", "/*", "(:", "?xml")):
        return "a subscription has no comments and no XML declaration; leave it out"
    return ""


def _attributes(slip: SyntaxErrorContext) -> str:
    """Return a hint for `no=7` and `no='7'` inside a tag."""
    name = _ATTRIBUTE.search(slip.just_before)
    if (
        name is None
        or not slip.could_be("STRING")
        or not slip.could_be("VARIABLE")
        or slip.could_be("NUMBER")
    ):
        return ""
    value = _VALUE.match(slip.here)
    if name[1].startswith("xmlns"):
        return (
            f'namespaces stand before WHERE: NAMESPACE p = "{value[1] if value else "..."}", and'
            " then <p:name>"
        )
    return (
        "the value of an attribute stands in double quotes:"
        f' {name[1]}="{value[1] if value else ""}"'
    )


def _namespaces(slip: SyntaxErrorContext) -> str:
    """Return a hint for `NAMESPACE p urn:x`, `NAMESPACE p = urn:x`, and xmlns before WHERE."""
    prefix = _PREFIX.search(slip.just_before)
    if prefix and slip.could_be("_EQUAL", "STRING"):
        uri = _NAMESPACE.match(slip.here)
        return f'write NAMESPACE {prefix[1]} = "{uri[1] if uri else ""}"'
    declared = _DECLARED.match(slip.here)
    if declared and slip.could_be("WHERE"):
        return f'write NAMESPACE {declared[1]} = "{declared[2]}" before WHERE'
    return ""


def _blocks(slip: SyntaxErrorContext) -> str:
    """Return a hint for `#A , #B`: blocks named before their pattern, or joined by a comma."""
    here = re.match(r"#\w+", slip.here)
    if (
        here
        and slip.could_be("_OPEN")
        and slip.before.endswith(("WHERE", ","))
        and not slip.could_be("BLOCK")
    ):
        return (
            f"{here[0]} names a pattern and stands after it: <order></> {here[0]}; events are"
            f" joined by {_JOINS}"
        )
    if slip.here.startswith(",") and re.search(r"#\w+$", slip.just_before):
        return f"events are joined by {_JOINS}; a comma stands between patterns and conditions"
    if (
        re.search(r"#\w+$", slip.just_before)
        and slip.could_be("THEN")
        and _OTHER_JOIN.match(slip.here)
    ):
        return f"events are joined by {_JOINS}"
    return ""


def _joined_conditions(slip: SyntaxErrorContext) -> str:
    """Return a hint for AND behind a pattern."""
    word = _WORD.match(slip.here)
    joins = slip.here.startswith(("&", ";", "∧")) or (word and word[0].upper() == "AND")
    if joins and slip.could_be("_COMMA") and re.search(r"(?:>|\$\w+|#\w+)$", slip.just_before):
        return "a comma stands between patterns and conditions: <order><id>$x</></>, $x > 5"
    return ""


def _between(slip: SyntaxErrorContext) -> str:
    found = re.match(r"(?i:between)\s+(\S+)\s+(?i:and)\s+(\S+)", slip.here)
    name = re.search(r"\$\w+$", slip.just_before)
    if found and name:
        return f"write {name[0]} >= {found[1]}, {name[0]} <= {found[2]}"
    return ""


def _bare_names(slip: SyntaxErrorContext) -> str:
    """Return a hint for `WHERE <a>$x</>, price > 5`."""
    if slip.here.upper().startswith("RETURN") and slip.could_be("CONSTRUCT"):
        return "what is built follows CONSTRUCT: CONSTRUCT <result>$x</>"
    word = re.match(r"([^\W\d][\w.-]*)\s*(?:<=|>=|!=|=|>|<(?![^\W\d]))\s*[^<>\s]", slip.here)
    if word and slip.could_be("NUMBER") and slip.could_be("VARIABLE"):
        return (
            f"a condition is about a variable that a pattern binds: <{word[1]}>$x</>, and then $x"
        )
    return ""


def _paths(slip: SyntaxErrorContext) -> str:
    """Return a hint for an XPath without the word XPATH."""
    path = re.match(r"\.?/[^,\n]*", slip.here)
    if path and slip.could_be("XPATH"):
        return f'write XPATH "{path[0].strip()}"'
    return ""


def _operators(slip: SyntaxErrorContext) -> str:
    """Return a hint for comparisons of other languages, and for XPath steps inside a tag."""
    pair = slip.before[-1:] + slip.here[:1]
    if pair in _COMPARISONS and slip.could_be("NUMBER"):
        return _COMPARISONS[pair]
    if slip.here.startswith("@") and slip.could_be("_GREATER"):
        return 'an attribute stands in its tag without @: <order no="7">'
    if slip.here.startswith("[") and slip.could_be("_GREATER"):
        return (
            "an attribute stands in its tag, a child inside of the element: <order"
            ' no="7"><id>5</></>, or XPATH "..."'
        )
    if slip.found.terminal == END and slip.could_be("_CLOSING"):
        return "a parenthesis is not closed"
    return ""


_COMPARISONS = {"==": "write = once", "<>": "write !=", "=>": "write >=", "=<": "write <="}


def _quotes(slip: SyntaxErrorContext) -> str:
    here = slip.here[:1]
    if here and here in CURLY_QUOTES:
        return 'write straight double quotes, as in "laptop"'
    if here == "'" and slip.could_be("STRING"):
        return 'a text stands in double quotes, as in "laptop"'
    if here == "{":
        return "a variable stands without braces: <id>$x</>"
    return ""


def _durations(slip: SyntaxErrorContext) -> str:
    if slip.could_be("DURATION"):
        number = re.match(r"\d+", slip.here)
        shown = f", {number[0]}s for seconds" if number else ""
        return f"a duration has a unit: 500ms, 60s, 10m, 2h or 1d{shown}"
    if slip.found.terminal == END and slip.before.upper().endswith(("WHERE", ",")):
        return "a pattern or a condition is missing, as in WHERE <order><id>$x</></>, $x > 5"
    return ""


_RULES = (
    _comments,
    _attributes,
    _namespaces,
    _blocks,
    _joined_conditions,
    _between,
    _bare_names,
    _paths,
    _operators,
    _quotes,
    _durations,
)
"""From the most to the least specific."""
