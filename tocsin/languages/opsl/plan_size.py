"""Size of plan parts with every name written out."""

from __future__ import annotations

from tocsin.plan.nodes.composites import (
    Part,
    parts_of,
)


class Sizes:
    """Counter of parts and levels with every name written out. A shared part is measured once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Part, int, int]] = {}

    def of(self, part: Part) -> tuple[int, int]:
        """Return the number of parts and of levels, the part itself included."""
        if id(part) not in self._known:
            inner = [self.of(each) for each in parts_of(part)]
            count = 1 + sum(each for each, _ in inner)
            self._known[id(part)] = (part, count, 1 + max((each for _, each in inner), default=0))
        _, count, levels = self._known[id(part)]
        return count, levels
