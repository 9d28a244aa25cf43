"""The version of the catalog that applies at a position of the log.

A change of the catalog stores the head of the log in its own transaction: an event that was
accepted before the change was sent is at or before that position, one that is sent after the change
was answered is behind it. Changes without access to the log, such as those of the command line,
have no position; they get the head of the log when they are noticed here.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from tocsin.catalog import Catalog, PlacedVersion, ReadPosition
from tocsin.errors import Problem

_VERSIONS_LOG = logging.getLogger("tocsin.runner")

SECONDS_TO_TRY_AGAIN = 30.0
"""Seconds until a locked catalog is tried again; meanwhile events are matched as before."""


class CatalogVersions:
    """The versions of a catalog with their positions, read once each. `note` may be called from any
    thread, everything else by the runner alone.

    `newest` reads the newest version, `head` the position of the newest event.
    """

    def __init__(self, catalog: Catalog, newest: Callable[[], int], head: ReadPosition) -> None:
        self._catalog, self._read_newest, self._head = catalog, newest, head
        self._lock = threading.Lock()
        self._newest = 0
        self._read = -1
        self._ahead: list[PlacedVersion] = []
        self._not_before = float("-inf")

    def note(self, version: int) -> None:
        """Note that the catalog has this version."""
        with self._lock:
            self._newest = max(version, self._newest)

    def look(self) -> None:
        """Read the newest version from the catalog."""
        self.note(self._read_newest())

    def restart(self) -> None:
        """Forget all versions read: the runner restarts at an earlier one."""
        self._read, self._ahead = -1, []

    def at(self, position: int, current: int) -> int:
        """Return the version that applies to the events after a position; `current`, the runner's
        current one, if no later version does.
        """
        self._read_on(current)
        self._ahead = [each for each in self._ahead if each.version > current]
        return max(
            (each.version for each in self._ahead if each.position <= position), default=current
        )

    def end_of(self, version: int) -> int | None:
        """Return the last position that a version applies to; None if no later one is known."""
        return min((each.position for each in self._ahead if each.version > version), default=None)

    def _read_on(self, current: int) -> None:
        newest, after = self._newest, max(current, self._read)
        if newest <= after:
            return
        found = self._catalog.placed(after)
        if (not found or found[-1].version < newest) and time.monotonic() >= self._not_before:
            found = self._place(after) or found
        head = self._head()  # read last: the log has lost any position beyond it
        self._ahead += [PlacedVersion(each.version, min(each.position, head)) for each in found]
        self._read = max((each.version for each in found), default=self._read)

    def _place(self, after: int) -> list[PlacedVersion]:
        try:
            self._catalog.place(self._head)
            return self._catalog.placed(after)
        except Problem as problem:
            self._not_before = time.monotonic() + SECONDS_TO_TRY_AGAIN
            _VERSIONS_LOG.warning("a change of the catalog waits to be served: %s", problem)
            return []
