"""The pairs that a link joins in one event, by start, by end, and by pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tocsin.engine.graphs.link_pairs import Pair

_NOTHING: Sequence[int] = ()


class Relation:
    """Pairs of vertices; lists of vertices are in ascending order."""

    __slots__ = ("_backward", "_forward", "pairs")

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.pairs = frozenset(pairs)
        self._forward: dict[int, list[int]] = {}
        self._backward: dict[int, list[int]] = {}
        for start, end in sorted(self.pairs):
            self._forward.setdefault(start, []).append(end)
            self._backward.setdefault(end, []).append(start)

    def __len__(self) -> int:
        return len(self.pairs)

    def joins(self, start: int, end: int) -> bool:
        """True if two vertices are a pair."""
        return (start, end) in self.pairs

    def has_loop(self, vertex: int) -> bool:
        """True if a vertex is joined with itself."""
        return (vertex, vertex) in self.pairs

    @property
    def loops(self) -> Sequence[int]:
        """Vertices that are joined with themselves."""
        return [start for start in self._forward if self.has_loop(start)]

    def ends(self, start: int) -> Sequence[int]:
        """Return the vertices that a vertex leads to."""
        return self._forward.get(start, _NOTHING)

    def starts(self, end: int) -> Sequence[int]:
        """Return the vertices that lead to a vertex."""
        return self._backward.get(end, _NOTHING)
