"""Functions on texts and times of the amqp dialect, and the form of a LIKE pattern in an
expression.

Every function gives NULL if an argument is absent or of the wrong kind, or a position or count is
not whole. Positions count from 1, as in SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.values.like import LikePattern, Token, Wild
from tocsin.values.scalars import Kind, kind_of
from tocsin.values.time import parse_instant

INSTANT_OF = "INSTANT"
"""Conversion of an RFC 3339 text to microseconds; texts of the language cannot name it, comparisons
with times use it.
"""

_ESCAPE = "\\"
_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


def text_of_pattern(pattern: LikePattern) -> str:
    """Return a pattern as a constant of an expression; a backslash escapes `%`, `_` and itself."""
    return pattern.text(_ESCAPE)


def pattern_of_text(text: str) -> LikePattern:
    """Return the pattern of such a constant."""
    return LikePattern.of(list(_tokens(text)))


def _tokens(text: str) -> Iterator[Token]:
    characters = iter(text)
    for character in characters:
        yield next(characters, "") if character == _ESCAPE else _WILD.get(character, character)


def _of_text(work: Callable[[str], Any]) -> Callable[..., Any]:
    return lambda text: work(text) if isinstance(text, str) else None


def _left(text: Any, count: Any) -> str | None:
    length = _count(count)
    return None if length is None or not isinstance(text, str) else text[:length]


def _right(text: Any, count: Any) -> str | None:
    length = _count(count)
    return (
        None if length is None or not isinstance(text, str) else text[max(0, len(text) - length) :]
    )


def _substring(text: Any, start: Any, count: Any = 1 << 62) -> str | None:
    """Return `count` characters at most from a position on; past the end the empty text."""
    first, length = _count(start), _count(count)
    if not first or length is None or not isinstance(text, str):
        return None
    return text[first - 1 : first - 1 + length]


def _count(value: Any) -> int | None:
    """Return a whole number of 0 or more, in any spelling; None for other values."""
    whole = kind_of(value) is Kind.NUMBER and value >= 0 and value == value // 1 and value < 1 << 63
    return int(value) if whole else None


def _instant(text: str) -> int | None:
    try:
        return parse_instant(text)
    except MeaningProblem:
        return None


def _milliseconds(text: str) -> int | None:
    instant = _instant(text)
    return None if instant is None else instant // 1000


TEXT_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "LOWER": _of_text(str.lower),
    "UPPER": _of_text(str.upper),
    "LEFT": _left,
    "RIGHT": _right,
    "SUBSTRING": _substring,
    "DATE": _of_text(_milliseconds),
    INSTANT_OF: _of_text(_instant),
}
ARGUMENTS = {
    "LOWER": (1,),
    "UPPER": (1,),
    "LEFT": (2,),
    "RIGHT": (2,),
    "SUBSTRING": (2, 3),
    "DATE": (1,),
}
"""Allowed numbers of arguments of each function of the dialect."""

TEXT_RESULTS = frozenset(("LOWER", "UPPER", "LEFT", "RIGHT", "SUBSTRING"))
"""Functions whose result is a text; that of the others is a number."""
