"""Budget of a search, counted in steps; a search beyond it is aborted as undecided, never guessed.

A step is work of about a microsecond anywhere: a statement tested, a vertex tried, a pair looked
up. So an aborted search has taken some tenths of a second at most, for any pattern and event.
"""

from __future__ import annotations

LIMIT = 100_000
"""Most steps of one search. A step takes up to two microseconds, so this is less than 200 ms."""


class Undecided(Exception):
    """Raised when a search exceeds its budget."""


class Budget:
    """Remaining steps."""

    __slots__ = ("_left",)

    def __init__(self, limit: int = LIMIT) -> None:
        self._left = limit

    def spend(self, steps: int = 1) -> None:
        """Subtract steps; raise Undecided if fewer are left."""
        self._left -= steps
        if self._left < 0:
            raise Undecided
