"""Literals of a text as terms: quoted texts with their escapes, numbers by their form, truth
values.
"""

from __future__ import annotations

import re

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.graph.names import GraphNameResolver
from tocsin.languages.graph.syntax import GraphTerm
from tocsin.values.terms import BOOLEAN, DECIMAL, DOUBLE, INTEGER, LANG_STRING, STRING, Literal

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_PLAIN = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


def literal_of(
    node: GraphTerm, names: GraphNameResolver, problems: ProblemCollector
) -> Literal | None:
    """Return the literal of a node, or None if it has a problem."""
    written = node.spot.text
    if written[0] not in "\"'":
        return Literal(written, _datatype(written))
    text = text_of(node.spot, problems)
    if text is None:
        return None
    if node.language:
        return Literal(text, LANG_STRING, node.language)
    datatype = STRING if node.datatype is None else names.term(node.datatype)
    return None if datatype is None else Literal(text, datatype)


def text_of(spot: SourceSpan, problems: ProblemCollector) -> str | None:
    """Return the characters of a quoted text, or None if an escape is invalid."""
    inner = spot.text[1:-1]
    for found in _ESCAPE.finditer(inner):
        if _character(found[1]) is None:
            problems.add(
                "SYNTAX",
                SourceSpan(spot.offset + 1 + found.start(), found[0]),
                f"{found[0]} is no escape",
                'escapes are \\" \\\\ \\n \\t \\r and \\uXXXX; a backslash in a pattern is written'
                " twice",
            )
            return None
    return _ESCAPE.sub(lambda found: _character(found[1]) or "", inner)


def _character(escape: str) -> str | None:
    if escape[0] not in "uU" or len(escape) == 1:
        return _PLAIN.get(escape)
    code = int(escape[1:], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None


def _datatype(written: str) -> str:
    if written in ("true", "false"):
        return BOOLEAN
    return DOUBLE if "e" in written.lower() else DECIMAL if "." in written else INTEGER
