"""Baselines: how others match, written as well as Python and numpy allow. All find the same matches
as the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Found:
    """Matches as two columns of one length: the place of the event in the batch and the number of
    the subscription.
    """

    events: Numbers
    subscriptions: Numbers

    def pairs(self) -> set[tuple[int, int]]:
        """The matches as a set."""
        return set(zip(self.events.tolist(), self.subscriptions.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Work:
    """What some events took: single predicates evaluated, and literals (or counters, or edges)
    visited.
    """

    evaluations: int
    visits: int


class Contender(Protocol):
    """A matcher that takes part in a comparison."""

    def add(self, number: int, selector: BooleanNode) -> None:
        """Takes one more subscription; numbers come in order from 0."""

    def prepare(self) -> None:
        """Ends the building; called once, before the first match."""

    def match(self, events: Sequence[Event]) -> Found:
        """All matches of a batch."""

    def work(self, events: Sequence[Event]) -> Work | None:
        """What matching these events takes, counted apart from any timing; None where it is not
        counted.
        """


def found_in_lists(events: list[int], subscriptions: list[int]) -> Found:
    """Matches gathered one by one."""
    return Found(np.array(events, np.int32), np.array(subscriptions, np.int32))
