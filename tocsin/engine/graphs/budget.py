"""What a search may cost: it is counted in steps, and one that would take more is given up, never
guessed.

A step is work of about a microsecond, wherever it is done: a statement looked at, a vertex tried, a
pair asked for. So a search that is given up has taken some tenths of a second at most, whatever the
pattern and the event are like.
"""

from __future__ import annotations

LIMIT = 100_000
"""Steps of one search, after which it is given up: a step takes up to two microseconds, so this is
less than 200 ms.
"""


class Undecided(Exception):
    """The search was given up."""


class Budget:
    """Steps that are left."""

    __slots__ = ("_left",)

    def __init__(self, limit: int = LIMIT) -> None:
        self._left = limit

    def spend(self, steps: int = 1) -> None:
        """Takes steps away; Undecided where there are not as many left."""
        self._left -= steps
        if self._left < 0:
            raise Undecided
