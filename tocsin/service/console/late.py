"""Which of the newest events came late: they have a dead letter that says so."""

from __future__ import annotations

import threading
from collections import deque

from tocsin.service.storage.tallies import Tallies

LATE = "LateEvent"
"""The code of the dead letter of an event behind the watermark."""

LETTERS = 50_000
"""So many of the newest dead letters are looked at, and so many late events remembered."""


class LateEvents:
    """The positions of late events, read from the dead letters as far as they are new."""

    def __init__(self, tallies: Tallies) -> None:
        self._tallies = tallies
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._order: deque[int] = deque()
        self._positions: set[int] = set()

    def refreshed(self) -> set[int]:
        """The positions that are known to be late now; not to be changed."""
        with self._lock:
            head = self._tallies.heads()[1]
            seen = max(0, head - LETTERS) if self._seen is None else self._seen
            if head > seen:
                self._note(self._tallies.events_with(LATE, seen, head))
            self._seen = head
            return self._positions

    def _note(self, found: list[int]) -> None:
        new = [each for each in found if each not in self._positions]
        self._order.extend(new)
        gone = [self._order.popleft() for _ in range(len(self._order) - LETTERS)]
        self._positions = (self._positions | set(new)) - set(gone)
