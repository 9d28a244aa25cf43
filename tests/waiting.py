"""Waits of tests: they last while something moves, for a loaded machine is slow and no failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

PATIENCE = 300.0
"""Seconds without any progress after which a test fails."""

PATIENT_SPARK = {
    "spark.executor.heartbeatInterval": "60s",
    "spark.network.timeout": f"{PATIENCE:.0f}s",
    "spark.python.authenticate.socketTimeout": f"{PATIENCE:.0f}s",
}
"""Settings of Spark under which a slow machine loses no executor and no Python worker: by default
a worker must connect within 15 seconds.
"""

T = TypeVar("T")


def wait_until(
    holds: Callable[[], T],
    *,
    progress: Callable[[], object] | None = None,
    report: Callable[[], object] = lambda: "",
    longest_pause: float = 0.25,
) -> T:
    """Return the first true value of `holds`; fail if nothing changes for PATIENCE seconds.

    A change is one of what `progress` returns, else of what `holds` returns. The failure has the
    value last seen and what `report` returns then. The pauses grow up to `longest_pause` seconds.
    """
    seen: object = None
    last_change, pause = time.monotonic(), 0.001
    while True:
        if found := holds():
            return found
        now = found if progress is None else progress()
        if now != seen:
            seen, last_change = now, time.monotonic()
        silent = time.monotonic() - last_change
        assert silent < PATIENCE, f"no progress for {silent:.0f} s, last {seen!r} {report()}"
        time.sleep(pause)
        pause = min(2 * pause, longest_pause)


def wait_for_end(query: StreamingQuery) -> None:
    """Wait until a streaming query has ended; raise its failure, or fail if it does not go on."""
    try:
        wait_until(
            lambda: not query.isActive,
            progress=lambda: (query.status["message"], len(query.recentProgress)),
        )
    finally:
        query.stop()
    query.awaitTermination()
