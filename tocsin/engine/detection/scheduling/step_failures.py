"""Failures of operators, until they are reported to the subscriptions that use these, and to no
others.
"""

from __future__ import annotations

from collections.abc import Callable

from tocsin.engine.detection.base import Operator
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.events.event import Event
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded

MAX_ABORTED_STEPS = 20
"""Times that a subscription may be too much work before it is suspended."""


class StepFailures:
    """Faults, aborted work, and operators that keep too much; each is reported once.

    With `contains_faults` steps go on after an operator has raised, because the caller takes the
    faults; without it the exception propagates.
    """

    __slots__ = ("_graph", "aborted", "contains_faults", "counts", "faults", "overfull")

    def __init__(self, graph: SharedGraph, *, contains_faults: bool) -> None:
        self._graph = graph
        self.contains_faults = contains_faults
        self.overfull: set[Operator] = set()
        """Operators that keep more than the limit allows."""
        self.aborted: dict[Operator, tuple[tuple[Event, ...], WorkLimitExceeded]] = {}
        """Roots of patterns for which some work was too much, with the events of the occurrence
        that came last.
        """
        self.faults: list[tuple[Operator, Exception]] = []
        """Operators that raised, with the exceptions."""
        self.counts: dict[str, int] = {}
        """Times that each subscription was too much work."""

    def fault(self, node: Operator, error: Exception) -> None:
        """Record an exception of an operator; raise it if faults are not contained."""
        if not self.contains_faults:
            raise error
        self.faults.append((node, error))

    def contain(self, node: Operator, work: Callable[..., object], *given: object) -> None:
        """Call `work` for an operator; an exception counts as a fault of that operator."""
        try:
            work(*given)
        except Exception as error:
            self.fault(node, error)

    def take_faults(self) -> list[tuple[str, Exception]]:
        """Return and clear the subscriptions that use an operator which raised, each once, with its
        first exception.
        """
        first: dict[Operator, Exception] = {}
        for node, error in self.faults:
            first.setdefault(node, error)
        self.faults.clear()
        users = self._graph.subscriptions_of(first)
        return [(key, first[node]) for node in first for key, used in users.items() if used is node]

    def take_aborted(self) -> list[tuple[str, tuple[Event, ...], WorkLimitExceeded]]:
        """Return and clear the subscriptions for which some work was too much, with the events of
        the occurrence that came last. Each is counted.
        """
        found = [(key, *why) for root, why in self.aborted.items() for key in root.keys]
        self.aborted.clear()
        for key, _, _ in found:
            self.counts[key] = self.counts.get(key, 0) + 1
        return found

    def take_overfull(self) -> list[str]:
        """Return and clear the subscriptions for which more is buffered in one place than the limit
        allows.
        """
        users = self._graph.subscriptions_of(self.overfull)
        self.overfull.clear()
        return list(users)

    def has_aborted_too_often(self, key: str) -> bool:
        """True if a subscription was too much work often enough to be suspended: it would only cost
        the others their time.
        """
        return self.counts.get(key, 0) >= MAX_ABORTED_STEPS
