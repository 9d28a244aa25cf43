"""Network of all composite subscriptions at work. The caller passes the time; no clock is read.

Four parts, each of which knows only those before it, and this front, which hosts call through the
engine:

* `sharing`: the graph of shared operators; returns the operators that are added or removed.
* `timers`: when operators wake.
* `steps`: the path of an event, or an instant, through the operators; failures there are kept by
  `failures` until they are reported.
* `snapshot`: the state of all of them as plain data, and the way back.

Next to the steps, `batches` serves many events at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tocsin.engine.detection.base import Operator, Pending, State
from tocsin.engine.detection.batch.detector import BatchDetector
from tocsin.engine.detection.inspection import OperatorView, shortest_window, view_of
from tocsin.engine.detection.scheduling.snapshot import GraphRestorer, check_snapshot, make_snapshot
from tocsin.engine.detection.scheduling.step_failures import StepFailures
from tocsin.engine.detection.scheduling.steps import Emissions, RowsOf, StepScheduler
from tocsin.engine.detection.scheduling.timers import Timers
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import MAX_EMPTY_WINDOWS, Part
from tocsin.plan.semantics.bounds import find_expired_window, past_window_problem
from tocsin.values.time import Duration, Instant

QUEUE_LIMIT = 1_000_000
"""Most occurrences that one operator may buffer before it is reported."""


def nothing_bound(atom: Atom, event: Event) -> Rows:  # noqa: ARG001
    """Return no bindings, as if atoms bound nothing."""
    return NOTHING_BOUND


class Network:
    """Composite subscriptions by key; takes the events of atoms in canonical order."""

    __slots__ = ("_graph", "_queue_limit", "_rows", "_steps", "_timers", "batches", "failures")

    def __init__(
        self,
        rows: RowsOf = nothing_bound,
        queue_limit: int = QUEUE_LIMIT,
        *,
        contains_faults: bool = False,
    ) -> None:
        self._rows = rows
        self._queue_limit = queue_limit
        self._assemble(contains_faults)

    def _assemble(self, contains_faults: bool) -> None:
        """Create all parts, empty."""
        self._graph = SharedGraph()
        self._timers = Timers()
        self.failures = StepFailures(self._graph, contains_faults=contains_faults)
        self._steps = StepScheduler(self._rows, self._timers, self.failures, self._queue_limit)
        self.batches = BatchDetector(self._graph, self._steps.current)

    def add(self, key: str, pattern: Part) -> list[Atom]:
        """Add a subscription, which rings for what happens from now on; return the atoms that are
        new.
        """
        assert not self.batches.is_replaying, "what waits is not in its lines within a batch"
        self.batches.invalidate()
        now = self._latest
        if (over := find_expired_window(pattern, now)) is not None:
            raise past_window_problem(over, now)
        made = self._graph.add(key, pattern, now, self._steps.current.number)
        self._steps.start(made)
        return _atoms_of(made)

    def remove(self, key: str) -> list[Atom]:
        """Remove a subscription and the parts that no other one uses; return the atoms of these."""
        self.batches.invalidate()
        dropped = self._graph.remove(key)
        self._timers.record_removed(len(dropped), self.operator_count)
        self.failures.counts.pop(key, None)
        return _atoms_of(dropped)

    def __len__(self) -> int:
        return len(self._graph.subscriptions)

    @property
    def operator_count(self) -> int:
        """Number of operators, shared ones once."""
        return len(self._graph.operators)

    @property
    def operators(self) -> Iterable[Operator]:
        """All operators."""
        return self._graph.operators.values()

    @property
    def atoms(self) -> Iterable[Atom]:
        """The atoms whose events the network takes."""
        return _atoms_of(self.operators)

    def event(self, event: Event, atoms: Iterable[Atom]) -> Emissions:
        """Serve one event, an occurrence of the given atoms, and return the matches; timers that
        are due before it fire first.

        Atoms that are not, or no longer, part of the network are skipped. An event without a time
        matches nothing.
        """
        if not self.batches.is_replaying:
            self.batches.unload_to_operators()
        if event.interval is None:
            return []
        return self._steps.event(event, event.interval.end, self._graph.atom_sources(atoms))

    def advance_to(self, now: Instant | None, quiet_until: Instant | None = None) -> Emissions:
        """Fire the timers up to `now`, as no event that ends by then is missing; return the
        matches. None stands for the end of time.

        If no event ends up to `quiet_until` either, recurring windows that are empty up to there
        may be emitted as one, if they are many.
        """
        return self._steps.advance_to(now, quiet_until)

    def abandon_step(self) -> None:
        """End a step that was interrupted: drop all that it still had to serve."""
        self._steps.current.abandon()

    @property
    def now(self) -> Instant:
        """Instant of the last step."""
        return self._steps.current.now

    @property
    def known(self) -> Instant:
        """Instant up to which the clock has come."""
        return self._steps.known

    @property
    def _latest(self) -> Instant:
        return max(self.now, self.known)

    @property
    def has_begun(self) -> bool:
        """True if any instant is known."""
        return self._steps.has_begun

    def begin_at(self, now: Instant) -> None:
        """Start the clock at the end of the first event of all, whether it concerns a subscription
        or not.
        """
        if not self.has_begun:
            self._steps.know(now)

    def next_timer(self) -> Instant | None:
        """Return the soonest instant at which a timer is due; None without timers."""
        return self._timers.next_timer()

    def next_deadline(self) -> Instant | None:
        """Return the soonest timer of an operator whose timers do not recur for ever; None without
        any.
        """
        return self._timers.next_deadline()

    def forget_before(self, now: Instant) -> None:
        """Drop all that no event which ends at `now` or later can complete. Equal subscriptions
        that hold the same state are merged on the way.
        """
        self.batches.forget_before(now)
        self._steps.forget_before(now)
        latest, number = self._latest, self._steps.current.number
        if self._graph.is_merge_due(latest, number):
            moved = self.batches.buffered_count
            self.batches.unload_to_operators()
            if dropped := self._graph.merge_equal_groups(latest, number, moved):
                self.batches.invalidate()
                self._timers.record_removed(len(dropped), self.operator_count)

    @property
    def shortest_pause(self) -> Duration | None:
        """Length of a pause without events from which on empty recurring windows may be emitted as
        one; None if no window recurs.
        """
        length = shortest_window(node.part for node in self.operators)
        return None if length is None else MAX_EMPTY_WINDOWS * length

    @property
    def buffered_count(self) -> int:
        """Number of buffered occurrences, those of shared operators once; consumed ones count until
        they are dropped.
        """
        in_nodes = (
            node.buffered_count + sum(each.buffered_count for each in node.inline_consumers)
            for node in self.operators
        )
        return self.batches.buffered_count + sum(in_nodes)

    def pending(self, key: str | None = None) -> Iterator[Pending]:
        """Yield the occurrences buffered for a subscription, inputs first; without a key, for all
        of them.
        """
        self.batches.unload_to_operators()
        for node in self.operators if key is None else self._graph.operators_of(key):
            yield from node.pending()

    def view(self, keys: Iterable[str]) -> list[OperatorView]:
        """Return the operators of some subscriptions, inputs first, shared ones once."""
        self.batches.unload_to_operators()
        users: dict[Operator, list[str]] = {}
        for key in keys:
            for node in self._graph.operators_of(key):
                users.setdefault(node, []).append(key)
        return [view_of(node, tuple(used_by)) for node, used_by in users.items()]

    def snapshot(self) -> State:
        """Return the whole state as plain data."""
        self.batches.unload_to_operators()
        return make_snapshot(self._graph, self.now, self.known, self.failures.counts)

    def restore(self, body: State) -> None:
        """Load a snapshot into a network that has its subscriptions but has seen nothing yet.

        State of removed subscriptions is left out; new subscriptions start empty. The others share
        again what they shared, and nothing else.
        """
        state = check_snapshot(body)
        patterns = {key: crowd.root.part for key, crowd in self._graph.subscriptions.items()}
        self._assemble(self.failures.contains_faults)
        graph, steps = self._graph, self._steps
        steps.current.now = state["now"]
        before = GraphRestorer(state, graph)
        for key in before.keys:
            if key in patterns:
                steps.start(before.build(key, patterns.pop(key)))
        before.fill(steps.current)
        steps.resume(state["known"])
        counts = state.get("given_up", {})
        self.failures.counts = {key: counts[key] for key in counts if key in graph.subscriptions}
        for key, pattern in patterns.items():
            steps.start(graph.add(key, pattern, self._latest, steps.current.number))


def _atoms_of(nodes: Iterable[Operator]) -> list[Atom]:
    return [node.part for node in nodes if isinstance(node.part, Atom)]
