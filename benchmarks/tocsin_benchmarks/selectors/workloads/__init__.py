"""Workloads: selectors and events drawn from a seed. The same seed gives the same workload in every
process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin_benchmarks.selectors.workloads.paper import PaperWorkload
from tocsin_benchmarks.selectors.workloads.scale import ScaleWorkload, Shape

__all__ = ["PaperWorkload", "ScaleWorkload", "Shape", "Workload"]


class Workload(Protocol):
    """What a matcher is measured with."""

    @property
    def subscriptions(self) -> int:
        """How many selectors there are."""

    @property
    def attributes(self) -> int:
        """How many attributes every event has."""

    def selectors(self) -> Iterator[BooleanNode]:
        """The selectors as they were written, before any pass, one at a time."""

    def events(self, count: int) -> list[Event]:
        """The first events."""
