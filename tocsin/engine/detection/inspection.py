"""Read-only view of the network: its operators, their subscriptions, and the occurrences buffered
in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from tocsin.engine.detection.base import Operator, Pending
from tocsin.plan.nodes.composites import Absence, EveryWindow, Part, Sliding
from tocsin.values.time import Duration, Instant

MAX_COUNTED_OCCURRENCES = 10_000
"""Most buffered occurrences that are counted per operator, so that a view stays cheap."""


class NetworkView(Protocol):
    """Read-only access to composites."""

    @property
    def buffered_count(self) -> int:
        """Number of buffered occurrences, those of shared operators once; consumed ones count until
        they are dropped.
        """
        ...

    @property
    def shortest_pause(self) -> Duration | None:
        """Length of a pause without events from which on empty recurring windows may be emitted as
        one; None if no window recurs.
        """
        ...

    def next_timer(self) -> Instant | None:
        """Return the soonest instant at which time alone may emit; None without timers."""
        ...

    def pending(self, key: str | None = None) -> Iterator[Pending]:
        """Yield the occurrences buffered for a subscription, inputs first; without a key for all of
        them, shared ones once.
        """
        ...

    def view(self, keys: Iterable[str]) -> list[OperatorView]:
        """Return the operators of some subscriptions, inputs first, shared ones once."""
        ...


@dataclass(frozen=True, slots=True)
class OperatorView:
    """An operator as seen from outside: its number, the numbers of its inputs, the subscriptions
    that use it, how many occurrences it buffers, and how many it was served.
    """

    number: int
    part: Part
    inputs: tuple[int, ...]
    keys: tuple[str, ...]
    waiting: int
    received_count: int


def view_of(node: Operator, keys: tuple[str, ...]) -> OperatorView:
    """Return the view of an operator; an atom is served the events that are occurrences of it."""
    waiting = sum(1 for _ in islice(iter(node.pending()), MAX_COUNTED_OCCURRENCES))
    came = sum(each.emitted_count for each in node.inputs) if node.inputs else node.emitted_count
    inputs = tuple(each.number for each in node.inputs)
    return OperatorView(node.number, node.part, inputs, keys, waiting, came)


def shortest_window(parts: Iterable[Part]) -> Duration | None:
    """Return the length of the shortest recurring window of the given parts; None without any."""
    lengths = map(_recurrence_of, parts)
    return min((length for length in lengths if length is not None), default=None)


def _recurrence_of(part: Part) -> Duration | None:
    """Return the distance between two windows of a part; None if its windows do not recur."""
    match part:
        case Absence(_, EveryWindow(length)) | Sliding(every=int(length)):
            return length
        case _:
            return None
