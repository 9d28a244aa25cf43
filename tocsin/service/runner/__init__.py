"""Runners: what reads the log and puts out matches. One at a time works on a log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from tocsin.hub.step_hub import DrivenHub
from tocsin.values.time import Instant


@dataclass(frozen=True, slots=True)
class RunnerStatus:
    """How a runner is: how far in the log and the catalog, up to when in the time of events, and
    what is wrong.
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
        """Begins where it stopped; returns at once."""

    def stop(self) -> None:
        """Ends after the step that is under way, and keeps where it is."""

    def catalog_changed(self, version: int) -> None:
        """The catalog has a new version: events that are appended from now on see it."""

    def status(self) -> RunnerStatus:
        """How it is now."""

    def inspect(self, look: Callable[[DrivenHub], Any]) -> Future[Any]:
        """Looks at the state between two steps; raises `NotHere` where it is kept elsewhere."""

    def engine_health(self) -> dict[str, object] | None:
        """What an engine in a process of its own said last; None where there is none."""
