"""LIKE patterns: `%` is any run of characters, `_` exactly one (newline included), all else stands for itself.

Matching takes time proportional to the text, whatever the pattern: pieces of plain text between two `%` are placed from
left to right without going back, and pieces that mix text with `_` are left to RE2, which never backtracks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import re2


class Wild(Enum):
    """The two wildcards of a LIKE pattern."""

    ANY_ONE = "_"
    ANY_RUN = "%"


Token = str | Wild

_REGULAR = {Wild.ANY_ONE: ".", Wild.ANY_RUN: ".*"}
_REGULAR_MEMORY = 256 << 20


@dataclass(frozen=True, slots=True)
class LikePattern:
    """A parsed pattern: literal runs of text, single wildcards, and run wildcards that never stand side by side."""

    tokens: tuple[Token, ...]

    @staticmethod
    def of(tokens: Sequence[Token]) -> LikePattern:
        """The canonical pattern: literal neighbours are joined, ANY_RUN moves behind ANY_ONE and collapses."""
        joined: list[Token] = []
        for token in tokens:
            last = joined[-1] if joined else None
            if isinstance(token, str) and isinstance(last, str):
                joined[-1] = last + token
            elif token is Wild.ANY_RUN and last is Wild.ANY_RUN:
                continue
            elif token is Wild.ANY_ONE and last is Wild.ANY_RUN:
                joined[-1:] = [Wild.ANY_ONE, Wild.ANY_RUN]
            elif token != "":
                joined.append(token)
        return LikePattern(tuple(joined))

    def literals(self) -> tuple[str, ...]:
        """The literal runs, in order: every matching text contains each of them."""
        return tuple(token for token in self.tokens if isinstance(token, str))

    def text(self, escape: str = "\\") -> str:
        """The pattern as LIKE text; wildcards that stand for themselves are escaped."""
        return "".join(
            token.value
            if isinstance(token, Wild)
            else "".join(escape + char if char in ("%", "_", escape) else char for char in token)
            for token in self.tokens
        )

    def needs_escape(self) -> bool:
        """Whether the text form has a character that only an ESCAPE clause can express."""
        return any("%" in run or "_" in run for run in self.literals())


def compile_like(pattern: LikePattern) -> Callable[[str], bool]:
    """A function that tells whether the whole text matches."""
    match pattern.tokens:
        case ():
            return "".__eq__
        case (Wild.ANY_RUN,):
            return lambda text: True  # noqa: ARG005
        case (str() as whole,):
            return whole.__eq__
        case (str() as prefix, Wild.ANY_RUN):
            return lambda text: text.startswith(prefix)
        case (Wild.ANY_RUN, str() as suffix):
            return lambda text: text.endswith(suffix)
        case (Wild.ANY_RUN, str() as inner, Wild.ANY_RUN):
            return lambda text: inner in text
        case tokens:
            return _compile_pieces(tokens)


def _compile_pieces(tokens: tuple[Token, ...]) -> Callable[[str], bool]:
    """The general case: pieces between ANY_RUNs, each placed as far left as it goes, which is never a bad choice."""
    pieces: list[tuple[Token, ...]] = [()]
    for token in tokens:
        if token is Wild.ANY_RUN:
            pieces.append(())
        else:
            pieces[-1] = (*pieces[-1], token)
    if any(token is Wild.ANY_ONE for piece in pieces for token in piece):
        return _compile_regular(tokens)
    first, *middle, last = ("".join(token for token in piece if isinstance(token, str)) for piece in pieces)

    def matches(text: str) -> bool:
        position, end = len(first), len(text) - len(last)
        if position > end or not text.startswith(first) or not text.endswith(last):
            return False
        for piece in middle:
            found = text.find(piece, position, end)
            if found < 0:
                return False
            position = found + len(piece)
        return True

    return matches


def _compile_regular(tokens: tuple[Token, ...]) -> Callable[[str], bool]:
    options = re2.Options()
    options.max_mem = _REGULAR_MEMORY
    options.dot_nl = True
    options.never_capture = True
    source = "".join(re2.escape(t) if isinstance(t, str) else _REGULAR[t] for t in tokens)
    fullmatch = re2.compile(source, options).fullmatch
    return lambda text: fullmatch(text) is not None
