"""Work of graph matchers: counters, and the budget of a search in steps.

A search beyond its budget is aborted as undecided, never guessed. A step is work of about a
microsecond anywhere: a statement tested, a vertex tried, a pair looked up. So an aborted search has
taken some tenths of a second at most, for any pattern and event.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.engine.index.matcher_parts import WorkCounters

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


@dataclass(slots=True)
class GraphWork(WorkCounters):
    """Counters of one graph matcher.

    A survivor is a candidate that has all its links and constants; a step is one test of a
    statement in the search. Nodes are the circles and squares of matching trees. An undecided pair
    of event and subscription never matches. `not_lifted` are events ruled out before conversion to
    a graph.
    """

    survivors: int = 0
    steps: int = 0
    nodes: int = 0
    undecided: int = 0
    not_lifted: int = 0
