"""Atoms of other languages in braces: `selector{ ... }`. Braces balance, and those inside quoted texts do not count.

A text in quotes has the quote twice for itself. What stands between the braces is blanked out before OPSL is read, so
that every offset stays true; the other language reads it from the whole text.
"""

from __future__ import annotations

import re

from tocsin.errors import Place, Problem, SyntaxProblem

_MARK = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[{}]""")


def blanked(text: str) -> str:
    """The text with everything inside braces as blanks; as long as before."""
    pieces, kept, depth, opened = [], 0, 0, 0
    for mark in _MARK.finditer(text):
        if mark[0] == "{":
            depth += 1
            if depth == 1:
                opened = mark.start()
        elif mark[0] == "}" and depth:
            depth -= 1
            if depth == 0:
                pieces += [text[kept : opened + 1], " " * (mark.start() - opened - 1)]
                kept = mark.start()
    if depth:
        raise _unclosed(text, opened)
    return "".join((*pieces, text[kept:]))


def shifted(problem: Problem, text: str, offset: int) -> Problem:
    """A problem of the text that starts at the offset, told for the whole text."""
    start, inner = Place.at(text, offset), problem.place or Place(1, 1)
    column = inner.column + start.column - 1 if inner.line == 1 else inner.column
    place = Place(start.line + inner.line - 1, column)
    return type(problem)(problem.message, code=problem.code, place=place, token=problem.token, hint=problem.hint)


def _unclosed(text: str, offset: int) -> SyntaxProblem:
    return SyntaxProblem(
        "the brace is not closed",
        code="OpslSyntaxError",
        place=Place.at(text, offset),
        token="{",
        hint="close it with }, as in selector{ price < 400 }; a brace inside quotes does not count",
    )
