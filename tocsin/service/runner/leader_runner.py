"""Several gateways on one database: one of them matches, the others stand by.

The active one has a lock that ends with its process or its connection. A gateway that takes over
pauses before it begins: the previous runner, if it has lost the lock without noticing, checks it
every second and needs time to stop.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tocsin.errors import Problem
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.runner import Runner, RunnerStatus
from tocsin.service.runner.inspection import Look, not_here
from tocsin.service.storage.lock import RunnerLock

_LOG = logging.getLogger("tocsin.runner")

LOOK = 1.0
"""Seconds between two checks of the lock."""

PAUSE = 3.0
"""Seconds between taking over the lock and starting."""


class LeaderRunner:
    """A runner that runs while this process has the lock. `make` creates it; `position` returns the
    position of the active runner, in any process.
    """

    def __init__(
        self, make: Callable[[], Runner], lock: RunnerLock, position: Callable[[], int]
    ) -> None:
        self._make, self._lock, self._position = make, lock, position
        self._runner: Runner | None = None
        self._has_waited = False
        self._worker = BackgroundWorker(
            "exclusive",
            self._try_to_lead,
            _LOG,
            first_wait=LOOK,
            longest_wait=LOOK,
            finish=lock.release,
        )

    def start(self) -> None:
        """Start to try for the lock."""
        self._worker.start()

    def stop(self) -> None:
        """Stop the runner, if it runs here, and release the lock."""
        self._worker.stop()

    def catalog_changed(self, version: int) -> None:
        """Inform the runner, if it runs here; one elsewhere reads the catalog itself."""
        runner = self._runner
        if runner is not None:
            runner.catalog_changed(version)

    def status(self) -> RunnerStatus:
        """Return the status of the runner. While it runs elsewhere, this gateway is ready at the
        stored position.
        """
        runner = self._runner
        if runner is not None:
            return runner.status()
        try:
            return RunnerStatus(True, self._position())
        except Problem as problem:
            return RunnerStatus(False, error=str(problem))

    def inspect(self, look: Look) -> Future[Any]:
        """Pass a function to the runner; raise `NotHere` if it runs elsewhere."""
        runner = self._runner
        if runner is None:
            raise not_here("of another gateway")
        return runner.inspect(look)

    def engine_health(self) -> None:
        """Return None: the engine is in this process, or in another gateway."""
        return None

    def _try_to_lead(self) -> None:
        """Try for the lock; with it, run a runner until the lock is lost."""
        waited, self._has_waited = self._has_waited, True
        if not self._lock.acquire():
            self._worker.wait(LOOK)
        elif not (waited and self._worker.wait(PAUSE)):
            self._lead()

    def _lead(self) -> None:
        """Run a new runner while this process has the lock."""
        runner = self._make()
        runner.start()
        self._runner = runner
        try:
            while not self._worker.wait(LOOK):
                if not self._lock.is_held():
                    _LOG.warning("runner lock lost; another instance may take over")
                    break
        finally:
            runner.stop()
            self._runner = None
