"""Work counters of graph matchers, in addition to those of every matcher."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.engine.index.counters import WorkCounters


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
