"""BEBV: the tree as a Boolean expression over pairs; it is satisfiable iff branches agree (spec
4.6).

The value of a leaf circle is its map, of a square the union of its circles', of a circle the join
of its squares': two maps join if one id has one image (rule 4) and different ids have different
ones (rule 5). Maps are found one by one, and every attempted join counts: beyond the limit the tree
is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tocsin.engine.graphs.budget import LIMIT, Budget, Undecided
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.paper.nodes import Circle, PaperTree, Square
from tocsin.plan.nodes.graphs import Injective, Vertex
from tocsin.values.terms import Literal

Map: TypeAlias = Mapping[Vertex, int]


class Verification:
    """The maps of a tree."""

    __slots__ = ("_budget", "_graph", "_injective", "_tree")

    def __init__(self, tree: PaperTree, graph: EncodedGraph, limit: int = LIMIT) -> None:
        self._tree = tree
        self._graph = graph
        self._injective = tree.pattern.injective
        self._budget = Budget(limit)

    def maps(self) -> Iterator[Map]:
        """Return an iterator over the maps of the root; maps may repeat.

        Raises Undecided if the tree or the joins exceed their limit.
        """
        if self._tree.full:
            raise Undecided
        return self._of_circle(self._tree.root) if self._tree.root.checked else iter(())

    def _of_circle(self, circle: Circle) -> Iterator[Map]:
        if not self._has_distinct_images(circle.map):
            return iter(())
        return self._join_maps(circle.map, circle.squares)

    def _of_square(self, square: Square) -> Iterator[Map]:
        for circle in square.circles:
            yield from self._of_circle(circle)

    def _join_maps(self, known: Map, squares: Sequence[Square]) -> Iterator[Map]:
        if not squares:
            yield known
            return
        for found in self._of_square(squares[0]):
            self._budget.spend()
            merged = {**known, **found}
            if all(
                merged[each] == image for each, image in known.items()
            ) and self._has_distinct_images(merged):
                yield from self._join_maps(merged, squares[1:])

    def _has_distinct_images(self, found: Map) -> bool:
        """Rule 5: True if images are distinct, as far as the pattern requires it."""
        images = [image for image in found.values() if not self._exempt(image)]
        return len(images) == len(set(images))

    def _exempt(self, image: int) -> bool:
        if self._injective is Injective.RESOURCES:
            return isinstance(self._graph.terms[image], Literal)
        return self._injective is Injective.NONE
