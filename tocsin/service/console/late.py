"""The newest late events, found by their dead letters."""

from __future__ import annotations

import threading
from collections import deque

from tocsin.service.storage.tallies import Tallies

LATE = "LateEvent"
"""Code of the dead letter of an event behind the watermark."""

LETTERS = 50_000
"""Newest dead letters examined at first, and late events remembered."""


class LateEvents:
    """The positions of late events, updated from new dead letters."""

    def __init__(self, tallies: Tallies) -> None:
        self._tallies = tallies
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._order: deque[int] = deque()
        self._positions: set[int] = set()

    def refreshed(self) -> set[int]:
        """Return the positions of known late events; not to be modified."""
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
