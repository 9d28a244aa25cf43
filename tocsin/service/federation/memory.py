"""Identities of the newest events received, over all links."""

from __future__ import annotations

import threading
from collections.abc import Iterable

REMEMBERED = 200_000

Identity = tuple[str, str]


class SeenEvents:
    """A bounded set of identities; the oldest are forgotten first."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._known: dict[Identity, None] = {}
        self._lock = threading.Lock()

    def __contains__(self, identity: object) -> bool:
        return identity in self._known

    def note(self, identities: Iterable[Identity]) -> None:
        """Add identities."""
        with self._lock:
            self._known |= dict.fromkeys(identities)
            while len(self._known) > self._remembered:
                del self._known[next(iter(self._known))]
