"""The network as somebody looks at it: which parts are at work, for whom, and how much waits in
each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from tocsin.engine.detection.base import Node, Pending
from tocsin.plan.nodes.composites import Absence, EveryWindow, Part, Sliding
from tocsin.values.time import Duration

MOST_COUNTED = 10_000
"""What waits in one part is counted up to so many."""


class NetworkView(Protocol):
    """Looks at composites and changes nothing."""

    @property
    def kept_count(self) -> int:
        """How many occurrences are kept, those of shared parts once; what is used up counts until
        it is forgotten.
        """
        ...

    @property
    def shortest_pause(self) -> Duration | None:
        """Pauses that are longer may be leapt over; None where nothing comes again."""
        ...

    def pending(self, key: str | None = None) -> Iterator[Pending]:
        """What waits for a subscription, from the inside out; without a key for all, what they
        share once.
        """
        ...

    def view(self, keys: Iterable[str]) -> list[NodeView]:
        """The parts that some subscriptions have at work, from the inside out, shared ones once."""
        ...


@dataclass(frozen=True, slots=True)
class NodeView:
    """A part at work: its number, the numbers of the parts inside it, the subscriptions that use
    it, how many occurrences wait in it, and how many have come to it.
    """

    number: int
    part: Part
    inputs: tuple[int, ...]
    keys: tuple[str, ...]
    waiting: int
    served: int


def view_of(node: Node, keys: tuple[str, ...]) -> NodeView:
    """What is to be seen of a node; an atom is served the events that are occurrences of it."""
    waiting = sum(1 for _ in islice(iter(node.pending()), MOST_COUNTED))
    came = sum(each.brought for each in node.inner) if node.inner else node.brought
    inputs = tuple(each.number for each in node.inner)
    return NodeView(node.number, node.part, inputs, keys, waiting, came)


def shortest_window(nodes: Iterable[Node]) -> Duration | None:
    """The length of the shortest windows that come again; None where there are none."""
    return min((_step_of(node.part) for node in nodes if node.is_endless), default=None)


def _step_of(part: Part) -> Duration:
    """How far windows that come again lie apart."""
    match part:
        case Absence(_, EveryWindow(length)) | Sliding(every=int(length)):
            return length
        case _:
            raise AssertionError(f"nothing comes again in {part}")
