"""Accumulators: measures kept up to date as values are added and the oldest are removed, each step
as cheap as the last.

Sums are exact at any time: doubles are whole numbers of a unit that is a power of two, and are
rounded once when the value is read, which is what `math.fsum` does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from operator import ge, le
from typing import Any, Protocol

from tocsin.plan.nodes.expressions import Aggregate
from tocsin.plan.semantics.condition_evaluation import Number, mean, number_of, scalar_key
from tocsin.values.scalars import canonical_number

_EXACT = 1 << 53
"""Bound below which every whole number is a double."""


class Accumulator(Protocol):
    """Measure over values that are added and removed in the same order."""

    def add(self, value: Any) -> None:
        """Add a value."""
        ...

    def drop(self, value: Any) -> None:
        """Remove the oldest value."""
        ...

    def value(self) -> Number | None:
        """Return the measure; None if it has no value."""
        ...


class CountAccumulator:
    """Number of values."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: Any) -> None:
        """Count one more."""
        self._count += 1

    def drop(self, value: Any) -> None:
        """Count one less."""
        self._count -= 1

    def value(self) -> Number | None:
        """Return the count."""
        return self._count


class DistinctAccumulator:
    """Number of different scalars."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[Hashable, int] = {}

    def add(self, value: Any) -> None:
        """Count the value, if it is a scalar."""
        key = scalar_key(value)
        if key is not None:
            self._counts[key] = self._counts.get(key, 0) + 1

    def drop(self, value: Any) -> None:
        """Remove the value, if it is a scalar."""
        key = scalar_key(value)
        if key is not None:
            left = self._counts[key] - 1
            if left:
                self._counts[key] = left
            else:
                del self._counts[key]

    def value(self) -> Number | None:
        """Return the number of different scalars."""
        return len(self._counts)


class SumAccumulator:
    """Sum of the numbers."""

    __slots__ = ("_broken", "_count", "_large", "_lowest", "_shift", "_topmost", "_units", "_whole")

    def __init__(self) -> None:
        self._count = 0
        self._whole = 0
        self._broken = 0
        self._large = 0
        self._topmost = 0
        self._lowest = 0
        self._units = 0
        self._shift = 0

    def add(self, value: Any) -> None:
        """Add the value, if it is a number."""
        self._move(value, 1)

    def drop(self, value: Any) -> None:
        """Remove the value, if it is a number."""
        self._move(value, -1)
        if not self._count:
            self._units = self._shift = 0

    def value(self) -> Number | None:
        """Return the sum, exact or rounded once; None without numbers, or if no double holds it."""
        if not self._count:
            return None
        if not self._broken:
            return self._whole
        if self._large or (self._topmost and self._lowest):
            return None
        if self._topmost or self._lowest:
            return float("inf") if self._topmost else float("-inf")
        try:
            return canonical_number(self._units / (1 << self._shift))
        except OverflowError:
            return None

    @property
    def count(self) -> int:
        """Number of numbers."""
        return self._count

    def _move(self, value: Any, sign: int) -> None:
        if type(value) is int and -_EXACT < value < _EXACT:  # the common case
            self._count += sign
            self._whole += sign * value
            self._units += sign * value << self._shift
            return
        number = number_of(value)
        if number is None:
            return
        self._count += sign
        if isinstance(number, int):
            self._whole += sign * number
        else:
            self._broken += sign
        self._move_double(number, sign)

    def _move_double(self, number: Number, sign: int) -> None:
        """Add or remove the number as a double: as soon as one number is not whole, doubles are
        summed.
        """
        try:
            units, parts = float(number).as_integer_ratio()
        except OverflowError:
            self._move_beyond(number, sign)
            return
        shift = parts.bit_length() - 1
        if shift > self._shift:
            self._units <<= shift - self._shift
            self._shift = shift
        self._units += sign * units << self._shift - shift

    def _move_beyond(self, number: Number, sign: int) -> None:
        """Count an integer that no double holds, or an infinity."""
        if isinstance(number, int):
            self._large += sign
        elif number > 0:
            self._topmost += sign
        else:
            self._lowest += sign


class MeanAccumulator(SumAccumulator):
    """Sum of the numbers, divided by their count."""

    __slots__ = ()

    def value(self) -> Number | None:
        """Return the mean; None without numbers."""
        return mean(super().value(), self.count) if self.count else None


class MinMaxAccumulator:
    """Least or greatest number; those that a later one outdoes are dropped at once."""

    __slots__ = ("_line", "_outdoes")

    def __init__(self, outdoes: Callable[[Number, Number], bool]) -> None:
        self._outdoes = outdoes
        self._line: deque[Number] | list[Number] = []

    def add(self, value: Any) -> None:
        """Add the value, if it is a number, and drop those that it outdoes."""
        number = number_of(value)
        if number is not None:
            line, outdoes = self._line, self._outdoes
            while line and outdoes(number, line[-1]) and number != line[-1]:
                line.pop()
            line.append(number)

    def drop(self, value: Any) -> None:
        """Remove the oldest value; if it was outdone, nothing changes."""
        number = number_of(value)
        if number is not None and self._line[0] == number:
            del self._line[0]
        if type(self._line) is list and len(self._line) > _LONG:
            self._line = deque(self._line)

    def value(self) -> Number | None:
        """Return the extreme number; None without numbers."""
        return self._line[0] if self._line else None


_LONG = 64
"""Length from which a list becomes a deque: a list takes little room, a deque little time."""


def make_minimum() -> MinMaxAccumulator:
    """Return an accumulator of the least number."""
    return MinMaxAccumulator(le)


def make_maximum() -> MinMaxAccumulator:
    """Return an accumulator of the greatest number."""
    return MinMaxAccumulator(ge)


class CompositeAccumulator:
    """Several measures of the same occurrences; a value is a tuple with one item for each."""

    __slots__ = ("_accumulators",)

    def __init__(self, accumulators: Sequence[Accumulator]) -> None:
        self._accumulators = accumulators

    def add(self, values: Any) -> None:
        """Add one value to each measure."""
        for tally, value in zip(self._accumulators, values, strict=True):
            tally.add(value)

    def drop(self, values: Any) -> None:
        """Remove the oldest value of each measure."""
        for tally, value in zip(self._accumulators, values, strict=True):
            tally.drop(value)

    def value(self) -> tuple[Number | None, ...]:
        """Return the values of the measures, in their order."""
        return tuple([tally.value() for tally in self._accumulators])


ACCUMULATORS: dict[Aggregate, Callable[[], Accumulator]] = {
    Aggregate.COUNT: CountAccumulator,
    Aggregate.DISTINCT: DistinctAccumulator,
    Aggregate.SUM: SumAccumulator,
    Aggregate.AVG: MeanAccumulator,
    Aggregate.MIN: make_minimum,
    Aggregate.MAX: make_maximum,
}
