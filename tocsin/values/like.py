"""LIKE patterns: `%` is any run of characters, `_` exactly one (newline included), the rest is
literal.

Matching never blows up. Pieces of plain text between two `%` are placed from left to right without
backtracking. Short patterns that mix text with `_` run in RE2, which never backtracks. Long ones
are placed with bit vectors over the text, one shift and one AND for each character of the pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from tocsin.values.regex import escape_text, whole_match


class Wild(Enum):
    """The two wildcards of a LIKE pattern."""

    ANY_ONE = "_"
    ANY_RUN = "%"


Token = str | Wild

_REGULAR = {Wild.ANY_ONE: ".", Wild.ANY_RUN: ".*"}
_REGULAR_LENGTH = 64
"""Longest pattern for RE2, in characters. A longer one may leave its fast automaton, or compile for
seconds.
"""

Piece = tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class LikePattern:
    """A parsed pattern: literal texts, single wildcards, and run wildcards; never two run wildcards
    in a row.
    """

    tokens: tuple[Token, ...]

    @staticmethod
    def of(tokens: Sequence[Token]) -> LikePattern:
        """Return the canonical pattern: join literal neighbours, move ANY_RUN behind ANY_ONE,
        collapse runs.
        """
        joined: list[Token] = []
        for is_text, group in groupby(
            filter(None, tokens), key=lambda token: isinstance(token, str)
        ):
            if is_text:
                joined.append("".join(map(str, group)))
            else:
                wild = list(group)
                joined += [Wild.ANY_ONE] * wild.count(Wild.ANY_ONE) + [Wild.ANY_RUN] * (
                    Wild.ANY_RUN in wild
                )
        return LikePattern(tuple(joined))

    def literals(self) -> tuple[str, ...]:
        """Return the literal texts, in order; every matching text contains each of them."""
        return tuple(token for token in self.tokens if isinstance(token, str))

    def text(self, escape: str = "\\") -> str:
        """Return the pattern as LIKE text, with literal wildcard characters escaped."""
        return "".join(
            token.value
            if isinstance(token, Wild)
            else "".join(escape + char if char in ("%", "_", escape) else char for char in token)
            for token in self.tokens
        )

    def needs_escape(self) -> bool:
        """True if the text form has a character that only an ESCAPE clause can express."""
        return any("%" in run or "_" in run for run in self.literals())


def compile_like(pattern: LikePattern) -> Callable[[str], bool]:
    """Return a test: True if the whole text matches."""
    match pattern.tokens:
        case ():
            return "".__eq__
        case (Wild.ANY_RUN,):
            return lambda text: True
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
    """Compile the general case: place each piece between ANY_RUNs as far left as possible.

    The leftmost placement is never a bad choice.
    """
    if Wild.ANY_ONE not in tokens:
        return _compile_texts(["".join(map(str, piece)) for piece in _pieces(tokens)])
    if sum(_length((token,)) for token in tokens if token is not Wild.ANY_RUN) <= _REGULAR_LENGTH:
        return _compile_regular(tokens)
    return _compile_long(_pieces(tokens))


def _pieces(tokens: tuple[Token, ...]) -> list[Piece]:
    """Split the tokens at the ANY_RUNs."""
    pieces: list[list[Token]] = [[]]
    for token in tokens:
        if token is Wild.ANY_RUN:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return list(map(tuple, pieces))


def _compile_texts(pieces: list[str]) -> Callable[[str], bool]:
    first, *middle, last = pieces

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
    return whole_match(
        "".join(escape_text(t) if isinstance(t, str) else _REGULAR[t] for t in tokens)
    )


def _compile_long(pieces: list[Piece]) -> Callable[[str], bool]:
    first, *rest = pieces
    if not rest:
        return lambda text: len(text) == _length(first) and _fits(first, text, 0)
    *middle, last = rest

    def matches(text: str) -> bool:
        position, end = _length(first), len(text) - _length(last)
        if position > end or not _fits(first, text, 0) or not _fits(last, text, end):
            return False
        for piece in middle:
            found = _find(piece, text, position, end)
            if found < 0:
                return False
            position = found + _length(piece)
        return True

    return matches


def _length(piece: Piece) -> int:
    return sum(len(token) if isinstance(token, str) else 1 for token in piece)


def _fits(piece: Piece, text: str, position: int) -> bool:
    """True if the piece occurs in the text at the position; the text must be long enough."""
    for token in piece:
        if isinstance(token, str) and not text.startswith(token, position):
            return False
        position += _length((token,))
    return True


def _find(piece: Piece, text: str, position: int, end: int) -> int:
    """Return the first position of the piece between `position` and `end`, or -1.

    Search windows grow, so near occurrences are cheap.
    """
    length = _length(piece)
    width = 4 * length
    while position + length <= end:
        window = text[position : min(end, position + width)]
        starts = _starts(piece, window, len(window) - length + 1)
        if starts:
            return position + (starts & -starts).bit_length() - 1
        position += len(window) - length + 1
        width *= 2
    return -1


def _starts(piece: Piece, text: str, count: int) -> int:
    """Return the positions of the piece among the first `count`, as bits of a number."""
    starts, offset = (1 << count) - 1, 0
    places: dict[str, int] = {}
    for token in piece:
        for character in token if isinstance(token, str) else "":
            if character not in places:
                places[character] = _places(character, text)
            starts &= places[character] >> offset
            offset += 1
        offset += token is Wild.ANY_ONE
        if not starts:
            break
    return starts


def _places(character: str, text: str) -> int:
    """Return the positions of the character in the text, as bits of a number."""
    digits = bytearray(b"0") * len(text)
    place = text.find(character)
    while place >= 0:
        digits[~place] = ord("1")
        place = text.find(character, place + 1)
    return int(digits, 2)
