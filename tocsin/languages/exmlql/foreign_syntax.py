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


def hint_for_foreign_syntax(error: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return find_hint(error, _RULES)


def _comments(error: SyntaxErrorContext) -> str:
    if error.here.startswith(("!--", "<!--", "--", "/*", "(:", "?xml")):
        return "a subscription has no comments and no XML declaration; leave it out"
    return ""


def _attributes(error: SyntaxErrorContext) -> str:
    """Return a hint for `no=7` and `no='7'` inside a tag."""
    name = _ATTRIBUTE.search(error.just_before)
    if (
        name is None
        or not error.could_be("STRING")
        or not error.could_be("VARIABLE")
        or error.could_be("NUMBER")
    ):
        return ""
    value = _VALUE.match(error.here)
    if name[1].startswith("xmlns"):
        return (
            f'namespaces stand before WHERE: NAMESPACE p = "{value[1] if value else "..."}", and'
            " then <p:name>"
        )
    return (
        "the value of an attribute stands in double quotes:"
        f' {name[1]}="{value[1] if value else ""}"'
    )


def _namespaces(error: SyntaxErrorContext) -> str:
    """Return a hint for `NAMESPACE p urn:x`, `NAMESPACE p = urn:x`, and xmlns before WHERE."""
    prefix = _PREFIX.search(error.just_before)
    if prefix and error.could_be("_EQUAL", "STRING"):
        uri = _NAMESPACE.match(error.here)
        return f'write NAMESPACE {prefix[1]} = "{uri[1] if uri else ""}"'
    declared = _DECLARED.match(error.here)
    if declared and error.could_be("WHERE"):
        return f'write NAMESPACE {declared[1]} = "{declared[2]}" before WHERE'
    return ""


def _blocks(error: SyntaxErrorContext) -> str:
    """Return a hint for `#A , #B`: blocks named before their pattern, or joined by a comma."""
    here = re.match(r"#\w+", error.here)
    if (
        here
        and error.could_be("_OPEN")
        and error.before.endswith(("WHERE", ","))
        and not error.could_be("BLOCK")
    ):
        return (
            f"{here[0]} names a pattern and stands after it: <order></> {here[0]}; events are"
            f" joined by {_JOINS}"
        )
    if error.here.startswith(",") and re.search(r"#\w+$", error.just_before):
        return f"events are joined by {_JOINS}; a comma stands between patterns and conditions"
    if (
        re.search(r"#\w+$", error.just_before)
        and error.could_be("THEN")
        and _OTHER_JOIN.match(error.here)
    ):
        return f"events are joined by {_JOINS}"
    return ""


def _joined_conditions(error: SyntaxErrorContext) -> str:
    """Return a hint for AND behind a pattern."""
    word = _WORD.match(error.here)
    joins = error.here.startswith(("&", ";", "∧")) or (word and word[0].upper() == "AND")
    if joins and error.could_be("_COMMA") and re.search(r"(?:>|\$\w+|#\w+)$", error.just_before):
        return "a comma stands between patterns and conditions: <order><id>$x</></>, $x > 5"
    return ""


def _between(error: SyntaxErrorContext) -> str:
    found = re.match(r"(?i:between)\s+(\S+)\s+(?i:and)\s+(\S+)", error.here)
    name = re.search(r"\$\w+$", error.just_before)
    if found and name:
        return f"write {name[0]} >= {found[1]}, {name[0]} <= {found[2]}"
    return ""


def _bare_names(error: SyntaxErrorContext) -> str:
    """Return a hint for `WHERE <a>$x</>, price > 5`."""
    if error.here.upper().startswith("RETURN") and error.could_be("CONSTRUCT"):
        return "what is built follows CONSTRUCT: CONSTRUCT <result>$x</>"
    word = re.match(r"([^\W\d][\w.-]*)\s*(?:<=|>=|!=|=|>|<(?![^\W\d]))\s*[^<>\s]", error.here)
    if word and error.could_be("NUMBER") and error.could_be("VARIABLE"):
        return (
            f"a condition is about a variable that a pattern binds: <{word[1]}>$x</>, and then $x"
        )
    return ""


def _paths(error: SyntaxErrorContext) -> str:
    """Return a hint for an XPath without the word XPATH."""
    path = re.match(r"\.?/[^,\n]*", error.here)
    if path and error.could_be("XPATH"):
        return f'write XPATH "{path[0].strip()}"'
    return ""


def _operators(error: SyntaxErrorContext) -> str:
    """Return a hint for comparisons of other languages, and for XPath steps inside a tag."""
    pair = error.before[-1:] + error.here[:1]
    if pair in _COMPARISONS and error.could_be("NUMBER"):
        return _COMPARISONS[pair]
    if error.here.startswith("@") and error.could_be("_GREATER"):
        return 'an attribute stands in its tag without @: <order no="7">'
    if error.here.startswith("[") and error.could_be("_GREATER"):
        return (
            "an attribute stands in its tag, a child inside of the element: <order"
            ' no="7"><id>5</></>, or XPATH "..."'
        )
    if error.found.terminal == END and error.could_be("_CLOSING"):
        return "a parenthesis is not closed"
    return ""


_COMPARISONS = {"==": "write = once", "<>": "write !=", "=>": "write >=", "=<": "write <="}


def _quotes(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in CURLY_QUOTES:
        return 'write straight double quotes, as in "laptop"'
    if here == "'" and error.could_be("STRING"):
        return 'a text stands in double quotes, as in "laptop"'
    if here == "{":
        return "a variable stands without braces: <id>$x</>"
    return ""


def _durations(error: SyntaxErrorContext) -> str:
    if error.could_be("DURATION"):
        number = re.match(r"\d+", error.here)
        shown = f", {number[0]}s for seconds" if number else ""
        return f"a duration has a unit: 500ms, 60s, 10m, 2h or 1d{shown}"
    if error.found.terminal == END and error.before.upper().endswith(("WHERE", ",")):
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
