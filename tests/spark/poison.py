"""Faults on purpose: events named `poison...` raise where they are matched or told, also in the
workers of Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark import TaskContext

from tocsin.catalog import Snapshot
from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.engine import Engine
from tocsin.events.event import Event
from tocsin.spark.plans.sources import FixedList

MATCHING = "poison"
TELLING = "poison-telling"


def poison_engines() -> None:
    """From now on such events raise in this process."""
    if getattr(AtomMatchers.match, "is_poisoned", False):
        return
    match, ring = AtomMatchers.match, Engine.render_atomic_match

    def raising_match(matchers: AtomMatchers, batch: EventBatch) -> Any:
        if any(batch.event(number).id == MATCHING for number in range(batch.size)):
            raise ZeroDivisionError("matching")
        return match(matchers, batch)

    def raising_ring(engine: Engine, key: str, event: Event) -> Any:
        if event.id == TELLING:
            raise ZeroDivisionError("telling")
        return ring(engine, key, event)

    raising_match.is_poisoned = True  # type: ignore[attr-defined]
    _replace(AtomMatchers, "match", raising_match)
    _replace(Engine, "render_atomic_match", raising_ring)


def _replace(kind: type, name: str, work: Callable[..., Any]) -> None:
    setattr(kind, name, work)


class PoisonedList(FixedList):
    """A list of subscriptions that brings the faults along to wherever it is served."""

    def snapshot(self, version: int) -> Snapshot:
        """The list; the poison is for tasks alone."""
        if TaskContext.get() is not None:
            poison_engines()
        return super().snapshot(version)
