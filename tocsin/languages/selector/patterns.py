"""LIKE text to LIKE pattern. Without an ESCAPE clause no character escapes, a backslash included.

The selector dialect takes an escape only before `%`, `_` and itself, and never `%` or `_` as the
escape. The jms dialect, like the brokers it comes from, takes any one character, and an escaped
character stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import Problem
from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.selector.problems import escape_problem
from tocsin.values.like import LikePattern, Token, Wild

_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


def pattern_of(
    pattern: str, escape: str | None, spot: SourceSpan, text: str, lenient: bool
) -> LikePattern:
    """Return the parsed pattern; `spot` is its place."""
    return LikePattern.of(list(_tokens(pattern, escape, spot, text, lenient)))


def checked_escape(escape: str, spot: SourceSpan, text: str, lenient: bool) -> str:
    """Return the escape character; raise if it is not valid."""
    if len(escape) != 1:
        raise escape_problem(
            text,
            spot,
            f"ESCAPE takes exactly one character, got {len(escape)}",
            "write it like ESCAPE '!'",
        )
    if escape in _WILD and not lenient:
        raise escape_problem(
            text,
            spot,
            f"{escape} is a wildcard and cannot escape",
            "take another one, like ESCAPE '!'",
        )
    return escape


def _tokens(
    pattern: str, escape: str | None, spot: SourceSpan, text: str, lenient: bool
) -> Iterator[Token]:
    characters = iter(pattern)
    for character in characters:
        if character != escape:
            yield _WILD.get(character, character)
            continue
        escaped = next(characters, "")
        if not escaped or not (lenient or escaped in _WILD or escaped == escape):
            raise _misused(escape, escaped, spot, text)
        yield escaped


def _misused(escape: str, escaped: str, spot: SourceSpan, text: str) -> Problem:
    where = (
        f"before {escaped}, which needs no escape"
        if escaped
        else "at the end of the pattern, where it escapes nothing"
    )
    return escape_problem(
        text, spot, f"{escape} stands {where}", f"to mean {escape} itself, write it twice"
    )
