"""Work of graph matchers, counted: beyond what every matcher counts, what is left after refuting
and what it costs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.engine.index.counters import Work


@dataclass(slots=True)
class GraphWork(Work):
    """A survivor is a candidate that has all its links and constants; a step is one look of the
    search at a statement.

    Nodes are the circles and squares of matching trees. An undecided pair of event and subscription
    never rings. An event that no pattern can match is not lifted.
    """

    survivors: int = 0
    steps: int = 0
    nodes: int = 0
    undecided: int = 0
    not_lifted: int = 0
