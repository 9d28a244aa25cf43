"""Rates under a time limit: work is repeated until the time is used up, at least once.

Seconds are of the processor: on a quiet machine they are those of the clock, and on a shared one
they tell how fast one core is when it has nothing else to do. The seconds of the clock are kept
beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from time import perf_counter, process_time
from typing import Any, TypeVar

Item = TypeVar("Item")

_PIECE_LIMIT = 256
_PATIENCE = 5
"""A first batch that takes so many times the limit is not repeated."""


class Stopwatch:
    """Runs from when it is made."""

    __slots__ = ("_clock", "_processor")

    def __init__(self) -> None:
        self._processor, self._clock = process_time(), perf_counter()

    def read(self) -> tuple[float, float]:
        """Seconds of the processor and of the clock since it was made."""
        return process_time() - self._processor, perf_counter() - self._clock


@dataclass(frozen=True, slots=True)
class Rate:
    """Events matched and matches found in a time; `part` is the share of the subscriptions that
    were asked.
    """

    events: int
    matches: int
    seconds: float
    clock_seconds: float
    part: float = 1.0

    @property
    def events_per_second(self) -> float:
        """Events of whole work: what was done in part only is scaled down."""
        return self.events * self.part / self.seconds

    @property
    def matches_per_second(self) -> float:
        """Matches found per second, which a part of the subscriptions finds as fast as all
        of them.
        """
        return self.matches / self.seconds

    def as_json(self) -> dict[str, Any]:
        """All figures as plain data."""
        speeds = {
            "events_per_second": self.events_per_second,
            "matches_per_second": self.matches_per_second,
        }
        return asdict(self) | speeds


def rate_of_batches(
    match: Callable[[Sequence[Item]], int],
    events: Sequence[Item],
    size: int,
    seconds: float,
    *,
    most: int | None = None,
) -> Rate:
    """The rate of matching in batches of one size; the first batch warms up, unless it takes far
    too long.
    """
    batches = [events[first : first + size] for first in range(0, len(events), size)]
    first = _repeated(match, iter(batches), 0.0, None)
    return (
        first
        if first.seconds >= _PATIENCE * seconds
        else _repeated(match, cycle(batches), seconds, most)
    )


def rate_of_singles(
    match: Callable[[Sequence[Item]], int], events: Sequence[Item], seconds: float
) -> Rate:
    """The rate of matching one event at a time."""
    return _repeated(match, cycle([event] for event in events), seconds, None)


def rate_of_pieces(
    match: Callable[[Sequence[Item]], int],
    events: Sequence[Item],
    seconds: float,
    *,
    most: int | None = None,
) -> Rate:
    """The rate of a matcher that takes one event after the other anyway: small pieces first, so
    that time is kept.
    """
    return _repeated(match, _growing(events), seconds, most)


def _growing(events: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Pieces of 1, 2, 4 and so on events, over and over; a piece never spans the end."""
    size, first = 1, 0
    while True:
        piece = events[first : first + size]
        yield piece
        first = (first + len(piece)) % len(events)
        size = min(2 * size, _PIECE_LIMIT)


def _repeated(
    match: Callable[[Sequence[Item]], int],
    batches: Iterator[Sequence[Item]],
    seconds: float,
    most: int | None,
) -> Rate:
    events = matches = 0
    watch = Stopwatch()
    while True:
        batch = next(batches)
        matches += match(batch)
        events += len(batch)
        elapsed, by_clock = watch.read()
        if elapsed >= seconds or (most is not None and events >= most):
            return Rate(events, matches, elapsed, by_clock)
