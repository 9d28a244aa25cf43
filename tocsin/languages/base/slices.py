"""Pieces of a text by the offsets of their tokens, with the brackets that belong to them."""

from __future__ import annotations

import re
from collections.abc import Callable

from tocsin.languages.base.texts import SourceSpan

Extent = tuple[int, int]
"""Offsets of the first character of a piece, and of the one after its last."""

_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class TextSlices:
    """Pieces of one text. `mask` returns it with blanks for texts whose brackets do not count."""

    def __init__(self, text: str, mask: Callable[[str], str] = str) -> None:
        self._text = text
        self._mask = mask
        self._depths: list[int] = []

    def piece(self, extent: Extent) -> str:
        """Return a piece, extended at both ends to the brackets that pair with those inside it."""
        start, end = extent
        depths = self._nesting()
        lowest = min(depths[start : end + 1])
        while start > 0 and depths[start] > lowest:
            start -= 1
        while end < len(self._text) and depths[end] > lowest:
            end += 1
        return self._text[start:end]

    def _nesting(self) -> list[int]:
        """Return the nesting depth of brackets before each character, and at the end."""
        if not self._depths:
            self._depths = [0]
            for each in self._mask(self._text):
                self._depths.append(self._depths[-1] + _BRACKETS.get(each, 0))
        return self._depths


def extent_of(spot: SourceSpan) -> Extent:
    """Return the extent of a token."""
    return spot.offset, spot.offset + len(spot.text)


def blank(text: str, quoted: re.Pattern[str]) -> str:
    """Return the text with blanks for all that the pattern finds, at its old length."""
    return quoted.sub(lambda found: " " * len(found[0]), text)


def enclose(*extents: Extent) -> Extent:
    """Return the extent from the first to the last of several."""
    return min(start for start, _ in extents), max(end for _, end in extents)
