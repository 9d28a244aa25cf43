"""The runners: they read the log and emit matches, one at a time per log.

Begin with `local.py`, a hub that goes along the log step by step, with the version of the catalog
for each position. `leader_runner.py` lets one of several processes match, `rendering.py` makes rows
of matches, `inspection.py` counts and looks inside between steps, `warm_up.py` compiles loops
early. The folder `spark` has the runner on Spark.

Imports: `catalog`, `engine`, `errors`, `events`, `hub`, `service.base`, `service.storage`, `spark`,
`values`.
Test a change with: `tests/service/runner`, `tests/service/core/test_driven.py`,
`tests/service/core/test_kill.py`, `tests/service/spark`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from tocsin.hub.step_hub import StepHub
from tocsin.values.time import Instant


@dataclass(frozen=True, slots=True)
class RunnerStatus:
    """The progress of a runner: position in the log, version of the catalog, watermark, number of
    partial matches, and its error if there is one.
    """

    is_ready: bool
    position: int = 0
    version: int = 0
    watermark: Instant | None = None
    waiting: int = 0
    error: str | None = None


class Runner(Protocol):
    """Matches the events of the log against the catalog, exactly once each."""

    def start(self) -> None:
        """Continue from the stored position, without blocking."""

    def stop(self) -> None:
        """Stop after the current step, and save the position."""

    def catalog_changed(self, version: int) -> None:
        """Note a new version of the catalog; it applies to events appended from now on."""

    def status(self) -> RunnerStatus:
        """Return the current status."""

    def inspect(self, look: Callable[[StepHub], Any]) -> Future[Any]:
        """Call a function with the hub between two steps; raise `NotHere` if it is elsewhere."""

    def engine_health(self) -> dict[str, object] | None:
        """Return the last report of an engine in its own process; None without one."""
