"""What went wrong at nodes, until it is told to those whose subscriptions use them: it concerns
them and nobody else.
"""

from __future__ import annotations

from collections.abc import Callable

from tocsin.engine.detection.base import Node
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.events.event import Event
from tocsin.plan.xml.row_functions import GivenUp

MOST_GIVEN_UP = 20
"""How often a subscription may be too much to work out before it is suspended."""


class Troubles:
    """Faults, work that was given up, and nodes that keep too much; each is told once.

    With `contains_faults` steps go on after a node has raised, because somebody takes the faults;
    else it raises.
    """

    __slots__ = ("_graph", "contains_faults", "counts", "faults", "given_up", "overfull")

    def __init__(self, graph: SharedGraph, *, contains_faults: bool) -> None:
        self._graph = graph
        self.contains_faults = contains_faults
        self.overfull: set[Node] = set()
        """Nodes that keep more than the limit allows."""
        self.given_up: dict[Node, tuple[tuple[Event, ...], GivenUp]] = {}
        """Whole patterns for which something was too much to work out, and the events of what came
        last.
        """
        self.faults: list[tuple[Node, Exception]] = []
        """What nodes raised."""
        self.counts: dict[str, int] = {}
        """How often subscriptions were too much to work out."""

    def fault(self, node: Node, error: Exception) -> None:
        """A node has raised."""
        if not self.contains_faults:
            raise error
        self.faults.append((node, error))

    def contain(self, node: Node, work: Callable[..., object], *given: object) -> None:
        """Does some work of a node; what it raises is a fault of the node."""
        try:
            work(*given)
        except Exception as error:
            self.fault(node, error)

    def take_faults(self) -> list[tuple[str, Exception]]:
        """The subscriptions that use a node which raised, each once, with what it raised first."""
        first: dict[Node, Exception] = {}
        for node, error in self.faults:
            first.setdefault(node, error)
        self.faults.clear()
        users = self._graph.users_of(first)
        return [(key, first[node]) for node in first for key, used in users.items() if used is node]

    def take_given_up(self) -> list[tuple[str, tuple[Event, ...], GivenUp]]:
        """The subscriptions for which something was too much to work out, and the events of what
        came last.
        """
        found = [(key, *why) for root, why in self.given_up.items() for key in root.keys]
        self.given_up.clear()
        for key, _, _ in found:
            self.counts[key] = self.counts.get(key, 0) + 1
        return found

    def take_overfull(self) -> list[str]:
        """The subscriptions for which more waits in one place than the limit allows."""
        users = self._graph.users_of(self.overfull)
        self.overfull.clear()
        return list(users)

    def is_hopeless(self, key: str) -> bool:
        """Whether a subscription was too much to work out so often that it would only cost the
        others their time.
        """
        return self.counts.get(key, 0) >= MOST_GIVEN_UP
