"""Several gateways on one database: one of them matches, the others are ready to.

The one has a lock that ends with its process or its connection. Whoever gets it after another waits
a moment before it begins: a runner that has lost the lock without knowing looks for it every second
and needs the time to stop.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tocsin.errors import Problem
from tocsin.service.runner import Runner, RunnerStatus
from tocsin.service.runner.inspecting import Look, not_here
from tocsin.service.storage.lock import RunnerLock

_LOG = logging.getLogger("tocsin.runner")

LOOK = 1.0
"""Seconds between two looks at the lock."""

PAUSE = 3.0
"""Seconds between getting the lock after another and beginning."""


class ExclusiveRunner:
    """A runner that runs while this process has the lock. `make` makes one; `position` says how far
    whoever runs has come.
    """

    def __init__(
        self, make: Callable[[], Runner], lock: RunnerLock, position: Callable[[], int]
    ) -> None:
        self._make, self._lock, self._position = make, lock, position
        self._stopping = threading.Event()
        self._runner: Runner | None = None
        self._thread = threading.Thread(target=self._run, name="tocsin-exclusive", daemon=True)

    def start(self) -> None:
        """Begins to ask for the lock."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the runner, if it runs here, and lets another have the lock."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def catalog_changed(self, version: int) -> None:
        """Tells the runner; one elsewhere looks at the catalog itself."""
        runner = self._runner
        if runner is not None:
            runner.catalog_changed(version)

    def status(self) -> RunnerStatus:
        """That of the runner; while it runs elsewhere this gateway is ready, and tells how far it
        is.
        """
        runner = self._runner
        if runner is not None:
            return runner.status()
        try:
            return RunnerStatus(True, self._position())
        except Problem as problem:
            return RunnerStatus(False, error=str(problem))

    def inspect(self, look: Look) -> Future[Any]:
        """Asks the runner, if it runs here."""
        runner = self._runner
        if runner is None:
            raise not_here("of another gateway")
        return runner.inspect(look)

    def engine_health(self) -> None:
        """The engine is in this process, or in that of another gateway."""
        return None

    def _run(self) -> None:
        waited = False
        while not self._stopping.is_set():
            if self._has_lock():
                if waited and self._stopping.wait(PAUSE):
                    break
                self._work()
                waited = True
            else:
                waited = True
                self._stopping.wait(LOOK)
        self._lock.release()

    def _work(self) -> None:
        """Runs as long as the lock is ours."""
        runner = self._make()
        runner.start()
        self._runner = runner
        while not self._stopping.wait(LOOK):
            if not self._lock.is_held():
                _LOG.warning("the lock is lost: another gateway may match from now on")
                break
        runner.stop()
        self._runner = None

    def _has_lock(self) -> bool:
        try:
            return self._lock.acquire()
        except Problem as problem:
            _LOG.warning("%s", problem)
            return False
