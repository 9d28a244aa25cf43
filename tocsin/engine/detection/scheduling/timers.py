"""Timers of nodes: when a node is to be woken, and when it is to be asked what it can forget.

Those of nodes that are gone stay until they come up, or until there are too many of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from tocsin.engine.detection.base import Node
from tocsin.values.time import LAST_INSTANT, Instant


class Timers:
    """Timers by instant; those of one instant in the order in which they were set."""

    __slots__ = ("_expiries", "_gone", "_numbers", "waiting")

    def __init__(self) -> None:
        self.waiting: list[tuple[Instant, int, Node, object]] = []
        """A heap of instants with the nodes to be woken and their tokens: the first is the
        soonest.
        """
        self._expiries: list[tuple[Instant, int, Node]] = []
        self._numbers = count()
        self._gone = 0

    def wake(self, node: Node, due: Instant, token: object) -> None:
        """The node is to be woken at `due`; never, where that is after all time."""
        if due > LAST_INSTANT:
            return
        heapq.heappush(self.waiting, (due, next(self._numbers), node, token))

    def take(self, due: Instant) -> Iterator[tuple[Node, object]]:
        """Takes away the timers of the soonest instant, `due`; nodes that are gone are passed
        over.
        """
        waiting = self.waiting
        while waiting and waiting[0][0] == due:
            _, _, node, token = heapq.heappop(waiting)
            if not node.is_gone:
                yield node, token

    def expire(self, node: Node, due: Instant) -> None:
        """The node is to be asked what it can forget once `due` has passed."""
        heapq.heappush(self._expiries, (due, next(self._numbers), node))

    def take_expired(self, now: Instant) -> Iterator[Node]:
        """Takes away the nodes that are to be asked, those that ask again on the way included."""
        expiries = self._expiries
        while expiries and expiries[0][0] < now:
            node = heapq.heappop(expiries)[2]
            if not node.is_gone:
                yield node

    def next_timer(self) -> Instant | None:
        """The soonest instant at which a node is to be woken."""
        while self.waiting and self.waiting[0][2].is_gone:
            heapq.heappop(self.waiting)
        return self.waiting[0][0] if self.waiting else None

    def next_deadline(self) -> Instant | None:
        """The soonest timer of a node whose timers do not come again for ever."""
        return min(
            (due for due, _, node, _ in self.waiting if not node.is_endless and not node.is_gone),
            default=None,
        )

    def note_gone(self, gone: int, left: int) -> None:
        """So many nodes more are gone, and so many are left."""
        self._gone += gone
        if self._gone > left:
            self._gone = 0
            self.waiting[:] = [timer for timer in self.waiting if not timer[2].is_gone]
            self._expiries[:] = [expiry for expiry in self._expiries if not expiry[2].is_gone]
            heapq.heapify(self.waiting)
            heapq.heapify(self._expiries)
