"""Timers of operators: when they wake, and when their state may expire.

Those of removed operators stay until they come up, or until there are too many of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from tocsin.engine.detection.base import Operator
from tocsin.values.time import LAST_INSTANT, Instant


class Timers:
    """Timers by instant; those of one instant in the order in which they were set."""

    __slots__ = ("_expiries", "_numbers", "_removed_count", "waiting")

    def __init__(self) -> None:
        self.waiting: list[tuple[Instant, int, Operator, object]] = []
        """Heap of instants with the operators to wake and their tokens; the first is the soonest.
        """
        self._expiries: list[tuple[Instant, int, Operator]] = []
        self._numbers = count()
        self._removed_count = 0

    def schedule_timer(self, node: Operator, due: Instant, token: object) -> None:
        """Schedule a timer at `due`; ignore one after the last instant."""
        if due > LAST_INSTANT:
            return
        heapq.heappush(self.waiting, (due, next(self._numbers), node, token))

    def take(self, due: Instant) -> Iterator[tuple[Operator, object]]:
        """Pop the timers of the soonest instant, `due`; skip removed operators."""
        waiting = self.waiting
        while waiting and waiting[0][0] == due:
            _, _, node, token = heapq.heappop(waiting)
            if not node.is_removed:
                yield node, token

    def schedule_expiry(self, node: Operator, due: Instant) -> None:
        """Schedule an expiry of the operator's state once `due` has passed."""
        heapq.heappush(self._expiries, (due, next(self._numbers), node))

    def take_expired(self, now: Instant) -> Iterator[Operator]:
        """Pop the operators whose expiry lies before `now`, also those that reschedule it
        meanwhile.
        """
        expiries = self._expiries
        while expiries and expiries[0][0] < now:
            node = heapq.heappop(expiries)[2]
            if not node.is_removed:
                yield node

    def next_timer(self) -> Instant | None:
        """Return the soonest instant at which an operator is to wake; None without timers."""
        while self.waiting and self.waiting[0][2].is_removed:
            heapq.heappop(self.waiting)
        return self.waiting[0][0] if self.waiting else None

    def next_deadline(self) -> Instant | None:
        """Return the soonest timer of an operator whose timers do not recur for ever; None without
        any.
        """
        return min(
            (
                due
                for due, _, node, _ in self.waiting
                if not node.is_endless and not node.is_removed
            ),
            default=None,
        )

    def record_removed(self, removed: int, left: int) -> None:
        """Count removed operators; drop their timers once they outnumber the operators `left`."""
        self._removed_count += removed
        if self._removed_count > left:
            self._removed_count = 0
            self.waiting[:] = [timer for timer in self.waiting if not timer[2].is_removed]
            self._expiries[:] = [expiry for expiry in self._expiries if not expiry[2].is_removed]
            heapq.heapify(self.waiting)
            heapq.heapify(self._expiries)
