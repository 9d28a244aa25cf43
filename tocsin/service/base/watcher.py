"""Polling for matches that other processes have stored."""

from __future__ import annotations

import logging
import threading

from tocsin.errors import Problem
from tocsin.service.base.feed import Feed
from tocsin.service.storage.matches import MatchStore

_LOG = logging.getLogger("tocsin.watcher")

PAUSE = 0.05
"""Seconds between two polls."""


class Watcher:
    """A thread that announces matches of other processes to the feed."""

    def __init__(self, matches: MatchStore, feed: Feed) -> None:
        self._matches, self._feed = matches, feed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tocsin-watcher", daemon=True)

    def start(self) -> None:
        """Start polling."""
        self._thread.start()

    def stop(self) -> None:
        """Stop polling; return when the thread has ended."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(PAUSE):
            try:
                self._feed.notice(self._matches.head())
            except Problem as problem:
                _LOG.warning("%s", problem)
                self._stopping.wait(1.0)
