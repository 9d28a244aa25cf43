"""Restricted datatypes by their limits: the comparisons that a literal meets, found by bisection.

Only comparisons that hold are touched. `!=` holds for nearly every value and is not indexed here.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from typing import Any

from tocsin.knowledge.concepts.concept import Datatype, Value
from tocsin.knowledge.concepts.datatypes import PREFIX, TYPES

_Sorted = list[tuple[Any, int]]
_LAST = float("inf")

_MET: dict[str, Callable[[_Sorted, Any], _Sorted]] = {
    "<": lambda limits, value: limits[bisect_right(limits, (value, _LAST)) :],
    "<=": lambda limits, value: limits[bisect_left(limits, (value, -1)) :],
    ">": lambda limits, value: limits[: bisect_left(limits, (value, -1))],
    ">=": lambda limits, value: limits[: bisect_right(limits, (value, _LAST))],
    "=": lambda limits, value: limits[
        bisect_left(limits, (value, -1)) : bisect_right(limits, (value, _LAST))
    ],
}
"""The limits, of those with the relation, for which it holds from the value."""


class DatatypeRanges:
    """Numbers of restricted datatypes by type and relation, in the order of their limits."""

    __slots__ = ("_limits",)

    def __init__(self) -> None:
        self._limits: dict[tuple[str, str], _Sorted] = {}

    def __len__(self) -> int:
        return sum(map(len, self._limits.values()))

    @staticmethod
    def takes(datatype: object) -> bool:
        """True if a filler is a comparison that can be indexed here."""
        return isinstance(datatype, Datatype) and datatype.relation in _MET

    def add(self, datatype: Datatype, number: int) -> None:
        """Add a comparison."""
        limits = self._limits.setdefault((datatype.type, datatype.relation), [])
        insort(limits, (_read(datatype.type, datatype.value), number))

    def remove(self, datatype: Datatype, number: int) -> None:
        """Remove a comparison."""
        key = (datatype.type, datatype.relation)
        limits = self._limits[key]
        del limits[bisect_left(limits, (_read(datatype.type, datatype.value), number))]
        if not limits:
            del self._limits[key]

    def met_by(self, value: Value) -> Iterator[int]:
        """Yield the numbers of the comparisons that a literal meets."""
        for (type_, relation), limits in self._limits.items():
            mine = _read(type_, value)
            if mine is not None:
                yield from (number for _, number in _MET[relation](limits, mine))


def _read(type_: str, value: Value) -> Any:
    return TYPES[type_.removeprefix(PREFIX)].read(value)
