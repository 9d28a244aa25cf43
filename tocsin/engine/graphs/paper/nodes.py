"""Matching trees: circles are partial maps, AND over their squares; squares are patterns, OR over
their circles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tocsin.plan.nodes.graphs import GraphPattern, StatementPattern, Vertex


@dataclass(slots=True, eq=False)
class Circle:
    """All pairs collected on the way from the root, and the ids along that way."""

    map: Mapping[Vertex, int]
    path: tuple[Vertex, ...]
    parent: Square | None = None
    squares: list[Square] = field(default_factory=list)
    unchecked: int = 0
    checked: bool = False


@dataclass(slots=True, eq=False)
class Square:
    """A pattern of the subscription whose subject has an image; `accepted` are the pairs of
    vertices it has taken.
    """

    tree: Tree
    parent: Circle
    statement: StatementPattern
    circles: list[Circle] = field(default_factory=list)
    accepted: set[tuple[int, int]] = field(default_factory=set)
    checked: bool = False


@dataclass(slots=True, eq=False)
class Tree:
    """The tree of one subscription for one event."""

    pattern: GraphPattern
    by_subject: Mapping[Vertex, list[StatementPattern]]
    root: Circle
    circles: int = 1
    squares: int = 0
    full: bool = False
    """Whether it stopped growing at the limit, so that it decides nothing."""

    @property
    def nodes(self) -> int:
        """Circles and squares, as the paper counts them."""
        return self.circles + self.squares


def squares_below(circle: Circle) -> Iterator[Square]:
    """All squares below a circle, from the root on."""
    for square in circle.squares:
        yield square
        for each in square.circles:
            yield from squares_below(each)
