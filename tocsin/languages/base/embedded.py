"""Atoms of other languages in braces: `selector{ ... }`. Braces balance; those inside quoted texts
do not count.

The text between the braces is blanked before the outer language is read, so that every offset stays
true; the other language reads it from the whole text. The language in the braces decides how a
quote is written inside a text.
"""

from __future__ import annotations

import re

from tocsin.errors import Place, Problem, SyntaxProblem

_TWICE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[{}]""")
_BACKSLASHED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[{}]""", re.DOTALL)
_WITH_BACKSLASHES = ("concept", "epcis", "graph")


def blank_braces(text: str, opening: re.Pattern[str], code: str) -> str:
    """Return the text with everything inside braces as blanks, at its old length.

    `opening` finds an opening brace, with the language before it as its group, and any text in
    which braces do not count.
    """
    pieces, kept, at = [], 0, 0
    while found := opening.search(text, at):
        at = found.end()
        if found[0].endswith("{"):
            end = _closing(text, at, found[1], code)
            pieces += [text[kept:at], " " * (end - at)]
            kept = at = end
    return "".join((*pieces, text[kept:]))


def shift_problem(problem: Problem, text: str, offset: int) -> Problem:
    """Return a problem of the text that starts at the offset, placed in the whole text."""
    start, inner = Place.at(text, offset), problem.place or Place(1, 1)
    column = inner.column + start.column - 1 if inner.line == 1 else inner.column
    place = Place(start.line + inner.line - 1, column)
    return type(problem)(
        problem.message, code=problem.code, place=place, token=problem.token, hint=problem.hint
    )


def _closing(text: str, start: int, language: str | None, code: str) -> int:
    """Return the offset of the brace that closes the one before `start`, or raise."""
    depth, mark = 1, _BACKSLASHED if language in _WITH_BACKSLASHES else _TWICE
    for found in mark.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise SyntaxProblem(
        "the brace is not closed",
        code=code,
        place=Place.at(text, start - 1),
        token="{",
        hint="close it with }, as in selector{ price < 400 }; a brace inside quotes does not count",
    )
