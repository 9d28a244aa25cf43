"""Snapshots: the state of a network as plain, versioned data; and the way back.

An operator is written at its place in the network, which is number and subscription. A shared one
is written once, and as a reference to its first place thereafter, so that any of its subscriptions
may be removed before it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tocsin.engine.detection.base import Operator, State, StepContext
from tocsin.engine.detection.occurrence_codec import OccurrenceReader, OccurrenceWriter
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.sharing import (
    OperatorKey,
    SharedGraph,
    SubscriptionBuild,
    new_scope_state,
)
from tocsin.errors import StateProblem
from tocsin.plan.nodes.composites import Part
from tocsin.values.time import Instant

VERSION = 2
_READABLE = {1, VERSION}
"""Versions that can be read; the first has no texts of events."""


def make_snapshot(
    graph: SharedGraph, now: Instant, known: Instant, given_up: Mapping[str, int]
) -> State:
    """Return the whole state as plain data. `given_up` counts how often each subscription was too
    much work.
    """
    writer = OccurrenceWriter()
    nodes: dict[str, State | str] = {}
    written: dict[Operator, str] = {}
    for key, crowd in graph.subscriptions.items():
        for number, node in enumerate(crowd.operators):
            place = _place(number, key)
            first = written.setdefault(node, place)
            nodes[place] = node.snapshot(writer) if first == place else first
    return {
        **({"given_up": dict(given_up)} if given_up else {}),
        "version": VERSION,
        "now": now,
        "known": known,
        "events": writer.events,
        "nodes": nodes,
        "used": _used(graph),
    }


def _used(graph: SharedGraph) -> State:
    """Return the consumed occurrences, with the first subscription of each share group."""
    firsts: dict[int, str] = {}
    for key, crowd in graph.subscriptions.items():
        firsts.setdefault(id(crowd.scopes), key)
    return {
        key: crowd.scopes.snapshot() if firsts[id(crowd.scopes)] == key else []
        for key, crowd in graph.subscriptions.items()
    }


def check_snapshot(body: Any) -> State:
    """Return the snapshot if this version can read it; raise StateProblem otherwise."""
    if not isinstance(body, dict) or body.get("version") not in _READABLE:
        found = body.get("version") if isinstance(body, dict) else type(body).__name__
        raise StateProblem(
            f"a snapshot of version {VERSION} is expected, got {found!r}",
            code="SnapshotVersion",
            hint="start afresh",
        )
    return body


class GraphRestorer:
    """The way back into an empty graph: subscriptions share again what they shared, and nothing
    else.
    """

    __slots__ = ("_graph", "_scopes", "_state", "_taken", "_writers", "keys")

    def __init__(self, state: State, graph: SharedGraph) -> None:
        self.keys: list[str] = list(state["used"])
        """Subscriptions of the snapshot."""
        self._state = state
        self._graph = graph
        self._writers = _first_of_groups(state)
        self._scopes: dict[str, Scopes] = {}
        self._taken: dict[str, OperatorKey] = {}

    def build(self, key: str, pattern: Part) -> list[Operator]:
        """Add a subscription of the snapshot; return the operators that are new."""
        first = self._writers.get(key, key)
        scopes = self._scopes.get(first)
        if scopes is None:
            scopes = self._scopes[first] = new_scope_state(pattern)
            scopes.restore(self._state["used"][first])
        return self._graph.build(key, pattern, self._name, scopes, self._state["now"], 0)

    def fill(self, step: StepContext) -> None:
        """Load the state of every operator, once all subscriptions are added."""
        reader = OccurrenceReader(self._state["events"])
        nodes = self._state["nodes"]
        for place, name in self._taken.items():
            if place in nodes:
                self._graph.operators[name].restore(nodes[place], reader.read, step)

    def _name(self, part: Part, inner: list[Operator], build: SubscriptionBuild) -> OperatorKey:
        """Return the name of the operator that was written at the place of the part."""
        place = _place(len(build.operators), build.key)
        held = self._state["nodes"].get(place)
        if isinstance(held, str):
            place = held
        if place not in self._taken:
            self._taken[place] = self._graph.new_key(part, build)
        return self._taken[place]


def _place(number: int, key: str) -> str:
    return f"{number} {key}"


def _first_of_groups(state: State) -> dict[str, str]:
    """Return, for each subscription of a snapshot, the one with which the operator of its whole
    pattern was written; the consumed occurrences were written with that one, too.
    """
    roots: dict[str, tuple[int, str]] = {}
    for place, held in state["nodes"].items():
        number, key = place.split(" ", 1)
        if int(number) >= roots.get(key, (-1, ""))[0]:
            roots[key] = (int(number), held if isinstance(held, str) else place)
    return {key: place.split(" ", 1)[1] for key, (_, place) in roots.items()}
