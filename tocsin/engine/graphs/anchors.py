"""Anchors: each shape hangs on one thing it cannot do without, and is looked at only for events
that have that thing.

That is a link that must join home with something, or a constant. Of those a shape has, the one that
the fewest others hang on is taken. A shape that has none (a path from home to variables) is looked
at for every event.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tocsin.engine.graphs.thresholds import Numbers
from tocsin.engine.index.postings import Postings

Anchor = tuple[str, int]

ALWAYS: Anchor = ("always", 0)


def home_link(number: int) -> Anchor:
    """The link joins home with something."""
    return ("home", number)


def constant(number: int) -> Anchor:
    """The event has the constant."""
    return ("constant", number)


class Anchors:
    """Shapes by anchor."""

    __slots__ = ("_anchors", "_lists", "_shapes")

    def __init__(self) -> None:
        self._lists: dict[Anchor, int] = {}
        self._shapes = Postings()
        self._anchors: dict[int, Anchor] = {}

    def __len__(self) -> int:
        return len(self._lists)

    def add(self, shape: int, possible: Iterable[Anchor]) -> None:
        """Hangs a shape on one of the possible anchors."""
        anchor = min(possible, key=self._load, default=ALWAYS)
        self._anchors[shape] = anchor
        if anchor in self._lists:
            self._shapes.append(self._lists[anchor], shape)
        else:
            self._lists[anchor] = self._shapes.new(shape)

    def remove(self, shape: int) -> None:
        """Takes a shape down."""
        anchor = self._anchors.pop(shape)
        if self._shapes.remove(self._lists[anchor], shape):
            del self._lists[anchor]

    def candidates(self, present: Iterable[Anchor]) -> Numbers:
        """The shapes that hang on one of these or on none."""
        lists = (self._lists.get(anchor) for anchor in (ALWAYS, *present))
        found = [self._shapes.of(number) for number in lists if number is not None]
        return np.concatenate([np.empty(0, np.int64), *found])

    def _load(self, anchor: Anchor) -> int:
        number = self._lists.get(anchor)
        return 0 if number is None else int(self._shapes.counts[number])
