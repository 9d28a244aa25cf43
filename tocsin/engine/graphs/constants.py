"""The constants of patterns, each distinct one numbered once; literals of equal value are one
constant.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tocsin.engine.graphs.encoding import EncodedGraph, key_of
from tocsin.engine.graphs.thresholds import Numbers
from tocsin.values.terms import Iri, Literal


class Constants:
    """Constants in use, with reference counts; the number of an unused constant is reused."""

    __slots__ = ("_free", "_numbers", "_uses")

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._uses: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def use(self, constant: Iri | Literal) -> int:
        """Count one more use of a constant; return its number."""
        key = key_of(constant)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._free.pop() if self._free else len(self._uses)
            if number == len(self._uses):
                self._uses.append(0)
        self._uses[number] += 1
        return number

    def release(self, constant: Iri | Literal) -> None:
        """Count one use less; remove the constant with its last use."""
        key = key_of(constant)
        number = self._numbers[key]
        self._uses[number] -= 1
        if not self._uses[number]:
            del self._numbers[key]
            self._free.append(number)

    def images(self, graph: EncodedGraph) -> Numbers:
        """Return the vertex of each constant, -1 if the event has none."""
        found = np.full(len(self._uses), -1, np.int64)
        if self._numbers:
            for vertex, term in enumerate(graph.terms):
                number = self._numbers.get(key_of(term))
                if number is not None:
                    found[number] = vertex
        return found
