"""Atoms of other languages in braces: `selector{ ... }`. Braces balance, and those inside quoted texts do not count.

What stands between these braces is blanked out before the concept language is read, so that every offset stays true.
"""

from __future__ import annotations

import re

from tocsin.errors import Place, Problem, SyntaxProblem

_OPENING = re.compile(r"\b(?:selector|graph|concept|xml)\s*\{|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>")
_MARK = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.|"")*"|[{}]""")


def blanked(text: str) -> str:
    """The text with everything inside the braces of other languages as blanks; as long as before."""
    pieces, kept, at = [], 0, 0
    while found := _OPENING.search(text, at):
        at = found.end()
        if found[0].endswith("{"):
            end = _closing(text, at)
            pieces += [text[kept:at], " " * (end - at)]
            kept = at = end
    return "".join((*pieces, text[kept:]))


def shifted(problem: Problem, text: str, offset: int) -> Problem:
    """A problem of the text that starts at the offset, told for the whole text."""
    start, inner = Place.at(text, offset), problem.place or Place(1, 1)
    column = inner.column + start.column - 1 if inner.line == 1 else inner.column
    place = Place(start.line + inner.line - 1, column)
    return type(problem)(problem.message, code=problem.code, place=place, token=problem.token, hint=problem.hint)


def _closing(text: str, start: int) -> int:
    """Where the brace stands that closes the one before `start`."""
    depth = 1
    for mark in _MARK.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth == 0:
            return mark.start()
    raise SyntaxProblem(
        "the brace is not closed",
        code="SYNTAX",
        place=Place.at(text, start - 1),
        token="{",
        hint="close it with }, as in selector{ price < 400 }; a brace inside quotes does not count",
    )
