"""Matching trees: circles are partial maps, squares are patterns.

A circle is an AND over its squares, a square an OR over its circles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tocsin.plan.nodes.graphs import GraphPattern, StatementPattern, Vertex


@dataclass(slots=True, eq=False)
class Circle:
    """All pairs collected from the root to here, and the ids along that path."""

    map: Mapping[Vertex, int]
    path: tuple[Vertex, ...]
    parent: Square | None = None
    squares: list[Square] = field(default_factory=list)
    unchecked: int = 0
    checked: bool = False


@dataclass(slots=True, eq=False)
class Square:
    """A pattern of the subscription whose subject has an image.

    `accepted` are the pairs of vertices that it has accepted.
    """

    tree: PaperTree
    parent: Circle
    statement: StatementPattern
    circles: list[Circle] = field(default_factory=list)
    accepted: set[tuple[int, int]] = field(default_factory=set)
    checked: bool = False


@dataclass(slots=True, eq=False)
class PaperTree:
    """The tree of one subscription for one event."""

    pattern: GraphPattern
    by_subject: Mapping[Vertex, list[StatementPattern]]
    root: Circle
    circles: int = 1
    squares: int = 0
    full: bool = False
    """True if it stopped growing at the limit, so that it decides nothing."""

    @property
    def nodes(self) -> int:
        """Number of circles and squares, as the paper counts them."""
        return self.circles + self.squares


def squares_below(circle: Circle) -> Iterator[Square]:
    """Yield all squares below a circle, from the root on."""
    for square in circle.squares:
        yield square
        for each in square.circles:
            yield from squares_below(each)
