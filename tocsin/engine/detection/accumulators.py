"""Measures that are kept up to date: what comes is added, what came first is taken away first, and
each costs no more than the last.

Sums are exact at any time: doubles are whole numbers of a unit that is a power of two, and are
rounded once when somebody asks, which is what `math.fsum` does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from operator import ge, le
from typing import Any, Protocol

from tocsin.plan.nodes.measures import Aggregate
from tocsin.plan.semantics.measure_evaluation import Number, mean, number_of, scalar_key
from tocsin.values.scalars import canonical_number

_EXACT = 1 << 53
"""Up to here every whole number is a double."""


class Tally(Protocol):
    """A measure over values that come and go in the same order."""

    def add(self, value: Any) -> None:
        """One more value."""
        ...

    def drop(self, value: Any) -> None:
        """The oldest value is gone."""
        ...

    def value(self) -> Number | None:
        """What the measure comes to; None where it has no value."""
        ...


class Counted:
    """How many there are."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: Any) -> None:
        """One more."""
        self._count += 1

    def drop(self, value: Any) -> None:
        """One less."""
        self._count -= 1

    def value(self) -> Number | None:
        """The count."""
        return self._count


class Different:
    """How many different scalars there are."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[Hashable, int] = {}

    def add(self, value: Any) -> None:
        """Counts the value, if it is a scalar."""
        key = scalar_key(value)
        if key is not None:
            self._counts[key] = self._counts.get(key, 0) + 1

    def drop(self, value: Any) -> None:
        """Counts it no more."""
        key = scalar_key(value)
        if key is not None:
            left = self._counts[key] - 1
            if left:
                self._counts[key] = left
            else:
                del self._counts[key]

    def value(self) -> Number | None:
        """The number of different ones."""
        return len(self._counts)


class Sum:
    """The sum of the numbers."""

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
        """Adds a number; what is none is left out."""
        self._move(value, 1)

    def drop(self, value: Any) -> None:
        """Takes it away."""
        self._move(value, -1)
        if not self._count:
            self._units = self._shift = 0

    def value(self) -> Number | None:
        """The sum, exact or rounded once; None of nothing, or where no double holds it."""
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
        """How many numbers there are."""
        return self._count

    def _move(self, value: Any, sign: int) -> None:
        if type(value) is int and -_EXACT < value < _EXACT:  # the usual case
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
        """Doubles are what is summed as soon as one number is not whole."""
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
        """What no double holds, and infinities."""
        if isinstance(number, int):
            self._large += sign
        elif number > 0:
            self._topmost += sign
        else:
            self._lowest += sign


class Mean(Sum):
    """The sum of the numbers, divided by how many they are."""

    __slots__ = ()

    def value(self) -> Number | None:
        """The mean; None of nothing."""
        return mean(super().value(), self.count) if self.count else None


class Extremum:
    """The least or the greatest number: those that a later one outdoes are forgotten at once."""

    __slots__ = ("_line", "_outdoes")

    def __init__(self, outdoes: Callable[[Number, Number], bool]) -> None:
        self._outdoes = outdoes
        self._line: deque[Number] | list[Number] = []

    def add(self, value: Any) -> None:
        """A number outdoes those before it, or waits until they are gone."""
        number = number_of(value)
        if number is not None:
            line, outdoes = self._line, self._outdoes
            while line and outdoes(number, line[-1]) and number != line[-1]:
                line.pop()
            line.append(number)

    def drop(self, value: Any) -> None:
        """The oldest is gone; if it was outdone, nothing changes."""
        number = number_of(value)
        if number is not None and self._line[0] == number:
            del self._line[0]
        if type(self._line) is list and len(self._line) > _LONG:
            self._line = deque(self._line)

    def value(self) -> Number | None:
        """The extreme one; None of nothing."""
        return self._line[0] if self._line else None


_LONG = 64
"""A list takes little room, a deque little time."""


def least() -> Extremum:
    """Keeps the least number."""
    return Extremum(le)


def greatest() -> Extremum:
    """Keeps the greatest number."""
    return Extremum(ge)


class Several:
    """Several measures of the same occurrences; a value is a tuple with one item for each."""

    __slots__ = ("_tallies",)

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self._tallies = tallies

    def add(self, values: Any) -> None:
        """One more value for each measure."""
        for tally, value in zip(self._tallies, values, strict=True):
            tally.add(value)

    def drop(self, values: Any) -> None:
        """The oldest value of each measure is gone."""
        for tally, value in zip(self._tallies, values, strict=True):
            tally.drop(value)

    def value(self) -> tuple[Number | None, ...]:
        """Return the values of the measures, in their order."""
        return tuple([tally.value() for tally in self._tallies])


TALLIES: dict[Aggregate, Callable[[], Tally]] = {
    Aggregate.COUNT: Counted,
    Aggregate.DISTINCT: Different,
    Aggregate.SUM: Sum,
    Aggregate.AVG: Mean,
    Aggregate.MIN: least,
    Aggregate.MAX: greatest,
}
