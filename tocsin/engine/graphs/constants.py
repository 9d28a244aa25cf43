"""The constants of patterns, each distinct one numbered once; literals of equal value are one
constant.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tocsin.engine.graphs.encoding import EncodedGraph, key_of
from tocsin.engine.graphs.thresholds import Numbers
from tocsin.engine.index.keys import CountedSlots
from tocsin.values.terms import Iri, Literal


class Constants:
    """Constants in use, with reference counts; the number of an unused constant is reused."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers = CountedSlots[Hashable]()

    def __len__(self) -> int:
        return len(self._numbers)

    def use(self, constant: Iri | Literal) -> int:
        """Count one more use of a constant; return its number."""
        return self._numbers.use(key_of(constant))

    def release(self, constant: Iri | Literal) -> None:
        """Count one use less; remove the constant with its last use."""
        number = self._numbers.slot_of(key_of(constant))
        assert number is not None
        self._numbers.release(number)

    def images(self, graph: EncodedGraph) -> Numbers:
        """Return the vertex of each constant, -1 if the event has none."""
        found = np.full(self._numbers.capacity, -1, np.int64)
        if len(self._numbers):
            for vertex, term in enumerate(graph.terms):
                number = self._numbers.slot_of(key_of(term))
                if number is not None:
                    found[number] = vertex
        return found
