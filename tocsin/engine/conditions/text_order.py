"""A scale of texts: numbers in the order of code points, with room between any two.

So texts are compared as numbers: a text that is not on the scale gets the number right behind its
lower neighbour, which is above that neighbour and below the next. A new text takes the middle
between its neighbours and moves none; only without room are all texts renumbered.
"""

from __future__ import annotations

from bisect import bisect_left

_GAP = 1 << 30
_LIMIT = 1 << 52
"""Largest number: floats are exact up to here, and for the next integer."""


class TextOrder:
    """Texts in order, each with its number; neighbours are at least two apart."""

    __slots__ = ("_numbers", "_texts")

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: list[int] = []

    def __len__(self) -> int:
        return len(self._texts)

    def add(self, text: str) -> bool:
        """Add a new text; True if, for lack of room, all others were renumbered."""
        at = bisect_left(self._texts, text)
        below = self._numbers[at - 1] if at else None
        above = self._numbers[at] if at < len(self._numbers) else None
        number = _between(below, above)
        self._texts.insert(at, text)
        self._numbers.insert(at, number)
        if _fits(below, number) and _fits(number, above) and abs(number) < _LIMIT:
            return False
        self._renumber()
        return True

    def remove(self, text: str) -> None:
        """Remove a text."""
        at = bisect_left(self._texts, text)
        del self._texts[at], self._numbers[at]

    def number_of(self, text: str) -> int:
        """Return the number of a text, on the scale or between its texts."""
        at = bisect_left(self._texts, text)
        if at < len(self._texts) and self._texts[at] == text:
            return self._numbers[at]
        if at:
            return self._numbers[at - 1] + 1
        return self._numbers[0] - 1 if self._numbers else 0

    def _renumber(self) -> None:
        room = 2 * _LIMIT // (len(self._texts) + 1)
        self._numbers = [room * (place + 1) - _LIMIT for place in range(len(self._texts))]


def _between(below: int | None, above: int | None) -> int:
    if below is None:
        return 0 if above is None else above - _GAP
    return below + _GAP if above is None else (below + above) // 2


def _fits(below: int | None, above: int | None) -> bool:
    return below is None or above is None or above - below >= 2
