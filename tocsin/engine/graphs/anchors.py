"""Anchors: each shape has one required feature, and is tested only for events that have it.

An anchor is a link that must join home with a vertex, or a constant; of those of a shape the one
with the fewest shapes is chosen. A shape without any (a path from home to variables) is tested for
every event.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tocsin.engine.graphs.thresholds import Numbers
from tocsin.engine.index.postings import Postings

Anchor = tuple[str, int]

ALWAYS: Anchor = ("always", 0)


def home_link(number: int) -> Anchor:
    """Return the anchor for a link from home."""
    return ("home", number)


def constant(number: int) -> Anchor:
    """Return the anchor for a constant of the event."""
    return ("constant", number)


class PatternAnchors:
    """Shapes by anchor."""

    __slots__ = ("_anchors", "_lists", "_shapes")

    def __init__(self) -> None:
        self._lists: dict[Anchor, int] = {}
        self._shapes = Postings()
        self._anchors: dict[int, Anchor] = {}

    def __len__(self) -> int:
        return len(self._lists)

    def add(self, shape: int, possible: Iterable[Anchor]) -> None:
        """File a shape under one of its possible anchors."""
        anchor = min(possible, key=self._load, default=ALWAYS)
        self._anchors[shape] = anchor
        if anchor in self._lists:
            self._shapes.append(self._lists[anchor], shape)
        else:
            self._lists[anchor] = self._shapes.new(shape)

    def remove(self, shape: int) -> None:
        """Remove a shape."""
        anchor = self._anchors.pop(shape)
        if self._shapes.remove(self._lists[anchor], shape):
            del self._lists[anchor]

    def candidates(self, present: Iterable[Anchor]) -> Numbers:
        """Return the shapes filed under one of these anchors, or under none."""
        lists = (self._lists.get(anchor) for anchor in (ALWAYS, *present))
        found = [self._shapes.of(number) for number in lists if number is not None]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _load(self, anchor: Anchor) -> int:
        number = self._lists.get(anchor)
        return 0 if number is None else int(self._shapes.counts[number])
