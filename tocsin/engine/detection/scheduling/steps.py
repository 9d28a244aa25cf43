"""Steps: the path of an event, or of an instant, through the graph.

A step serves one event, or the timers of one instant. Within a step operators are served by level,
inputs first, so that the layout of the graph, and other subscriptions that share it, never show in
a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tocsin.engine.detection.base import Operator, too_much_work
from tocsin.engine.detection.pair_table import PairStore
from tocsin.engine.detection.scheduling.step_failures import StepFailures
from tocsin.engine.detection.scheduling.timers import Timers
from tocsin.engine.detection.scope import Scopes
from tocsin.engine.detection.stateless import AtomSource
from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.semantics.occurrence import Occurrence, occurrence_of
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.time import Instant

Emissions = list[tuple[str, Occurrence]]
"""Matches: subscription keys with their occurrences."""

RowsOf = Callable[[Atom, Event], Rows]
"""Returns the rows that an atom binds for an event which is an occurrence of it."""

BEGINNING: Instant = -(2**63)
"""Instant before all that is known."""


class StepExecution:
    """The step in progress: the `Step` that operators emit into, and those left to serve."""

    __slots__ = (
        "_consumed_names",
        "_failures",
        "_is_firing",
        "_levels",
        "_timers",
        "found",
        "is_touched",
        "now",
        "number",
        "overfull",
        "pairs",
        "queue_limit",
        "quiet_until",
    )

    def __init__(self, timers: Timers, failures: StepFailures, queue_limit: int) -> None:
        self.now: Instant = BEGINNING
        self.quiet_until: Instant | None = None
        self.number = 0
        self.queue_limit = queue_limit
        self.overfull = failures.overfull
        self.pairs = PairStore[Operator]()
        """Table of all joins of two atoms under single use."""
        self.found: Emissions = []
        """Matches of this step."""
        self.is_touched = False
        """True if an operator waits to be served."""
        self._timers = timers
        self._failures = failures
        self._levels: list[list[Operator]] = []
        self._consumed_names: list[tuple[Scopes, str, Occurrence]] = []
        self._is_firing = False

    def emit(self, node: Operator, occurrence: Occurrence) -> None:
        """Emit an occurrence of an operator's part to all its consumers and subscriptions. A
        pattern over its work limit in this step adds no match.
        """
        node.emitted_count += 1
        for follower in node.inline_consumers:
            self._deliver(follower, 0, occurrence)
        for user, slot in node.consumers:
            inbox = user.inbox
            if not inbox and not user.due:
                self._levels[user.level].append(user)
                self.is_touched = True
            inbox.append((slot, occurrence))
        if node.keys and not node.is_overdrawn_in(self):
            for key in node.keys:
                self.found.append((key, occurrence))

    def enqueue(self, node: Operator, slot: int, occurrence: Occurrence) -> None:
        """Enqueue an occurrence at a slot of one operator, which is served in its turn."""
        self._touch(node)
        node.inbox.append((slot, occurrence))

    def abort_work(
        self, node: Operator, occurrence: Occurrence | None, why: WorkLimitExceeded
    ) -> None:
        """Record that work for the occurrence was aborted at the operator, for every pattern that
        pays for it. Only the first reason per pattern counts until it is reported.
        """
        members = () if occurrence is None else occurrence.members
        for payer in node.payers:
            self._failures.aborted.setdefault(payer, (members, why))

    def _report_over_budget(self, node: Operator, occurrence: Occurrence | None) -> None:
        """Record the patterns that could not pay for work which the operator did for others."""
        for payer in node.payers:
            if payer.is_overdrawn_in(self):
                members = () if occurrence is None else occurrence.members
                self._failures.aborted.setdefault(payer, (members, too_much_work()))

    def consume_name(self, scopes: Scopes, name: str, occurrence: Occurrence) -> None:
        """Mark the occurrence bound to a name as consumed in its scope when the step ends."""
        self._consumed_names.append((scopes, name, occurrence))

    def schedule_timer(self, node: Operator, due: Instant, token: object) -> None:
        """Schedule a timer; one that is due in the timer step in progress fires in it."""
        if self._is_firing and due <= self.now:
            node.due.append(token)
        else:
            self._timers.schedule_timer(node, due, token)

    def schedule_expiry(self, node: Operator, due: Instant) -> None:
        """Schedule a call of the operator's `forget_before` once `due` has passed."""
        self._timers.schedule_expiry(node, due)

    def make_room(self, node: Operator) -> None:
        """Add levels until the operator can be served."""
        while len(self._levels) <= node.level:
            self._levels.append([])

    def begin(self, now: Instant) -> None:
        """Begin the next step, at this instant."""
        self.now = now
        self.number += 1
        self.found = []

    def fire(self, timers: Iterable[tuple[Operator, object]]) -> None:
        """Serve the operators whose timers are due in this step."""
        self._is_firing = True
        for node, token in timers:
            self._touch(node)
            node.due.append(token)
        self.serve()
        self._is_firing = False

    def serve(self) -> None:
        """Serve every touched operator, inputs before consumers."""
        self.is_touched = False
        for level in self._levels:
            if level:
                for node in level:
                    self._serve_node(node)
                level.clear()
        if self._consumed_names:
            for scopes, name, occurrence in self._consumed_names:
                scopes.lose(name, occurrence, self.now)
            self._consumed_names.clear()

    def abandon(self) -> None:
        """Drop all that an interrupted step still had to serve."""
        for level in self._levels:
            for node in level:
                node.inbox.clear()
                node.due.clear()
            level.clear()
        self._consumed_names.clear()
        self.pairs.abandon()
        self.is_touched = self._is_firing = False

    def _touch(self, node: Operator) -> None:
        if not node.inbox and not node.due:
            self._levels[node.level].append(node)
            self.is_touched = True

    def serve_pairs(self, occurrence: Occurrence) -> None:
        """Serve the joins under single use that the event reached, before all other operators:
        their inputs are atoms, so that nothing else of the step can add to them.
        """
        for node, pair in self.pairs.serve(occurrence, self.number):
            self.emit(node, pair)
        self.overfull.update(self.pairs.owners_over_limit(self.queue_limit))

    def _serve_node(self, node: Operator) -> None:
        inbox = node.inbox
        if len(inbox) > 1:
            inbox.sort(key=lambda each: (each[0], each[1].order))
        for slot, occurrence in inbox:
            self._deliver(node, slot, occurrence)
        inbox.clear()
        if node.has_buffer and node.buffered_count > self.queue_limit:
            self.overfull.add(node)
        if node.due:
            due, node.due = node.due, []
            for token in due:
                self._fire(node, token)

    def _deliver(self, node: Operator, slot: int, occurrence: Occurrence) -> None:
        """Pass an occurrence to an operator; an error there concerns only the subscriptions that
        use it.
        """
        try:
            node.receive(slot, occurrence, self)
        except WorkLimitExceeded as why:
            self.abort_work(node, occurrence, why)
        except Exception as error:
            self._failures.fault(node, error)
        if len(node.payers) > 1:
            self._report_over_budget(node, occurrence)

    def _fire(self, node: Operator, token: object) -> None:
        """Fire a due timer of an operator; an error there concerns only the subscriptions that use
        it.
        """
        try:
            node.on_timer(token, self)
        except WorkLimitExceeded as why:
            self.abort_work(node, None, why)
        except Exception as error:
            self._failures.fault(node, error)
        if len(node.payers) > 1:
            self._report_over_budget(node, None)


class StepScheduler:
    """Scheduler of the steps, one after the other: events in canonical order, due timers before
    them.
    """

    __slots__ = ("_failures", "_rows", "_timers", "_without_clock", "current", "known")

    def __init__(
        self, rows: RowsOf, timers: Timers, failures: StepFailures, queue_limit: int
    ) -> None:
        self.current = StepExecution(timers, failures, queue_limit)
        self.known: Instant = BEGINNING
        """Instant up to which the clock has come."""
        self._rows = rows
        self._timers = timers
        self._failures = failures
        self._without_clock: list[Operator] = []

    @property
    def has_begun(self) -> bool:
        """True if any instant is known."""
        return self.known != BEGINNING

    def start(self, nodes: Iterable[Operator]) -> None:
        """Start operators that are new in the graph; those with recurring timers begin once the
        time is known.
        """
        for node in nodes:
            self.current.make_room(node)
            node.on_added(self.current)
            if node.is_endless and self.has_begun:
                node.on_clock_start(self.known, False, self.current)
            elif node.is_endless:
                self._without_clock.append(node)

    def event(self, event: Event, end: Instant, nodes: Iterable[AtomSource]) -> Emissions:
        """Serve one event, an occurrence of the atoms of the given operators that ends at `end`.
        Timers that are due before it fire first. Return all matches.
        """
        if end > self.known:
            self.know(end)
        timers = self._timers.waiting
        before = self.advance_to(end - 1) if timers and timers[0][0] < end else []
        step = self.current
        step.begin(end)
        occurrence = occurrence_of(event)
        arrived = step.pairs.reached_queues
        for node in nodes:
            if node.binds:
                self._emit_bound(node, event, occurrence)
                continue
            arrived += node.queues
            if node.inline_consumers or node.consumers or node.keys:
                step.emit(node, occurrence)
            else:
                node.emitted_count += 1
        if arrived:
            step.serve_pairs(occurrence)
        if step.is_touched:
            step.serve()
        return before + step.found if before else step.found

    def _emit_bound(self, node: AtomSource, event: Event, occurrence: Occurrence) -> None:
        """Emit an occurrence of an atom with the rows that the matcher binds."""
        try:
            rows = self._rows(node.part, event)
        except Exception as error:
            self._failures.fault(node, error)
        else:
            bound = occurrence if rows is NOTHING_BOUND else occurrence_of(event, rows)
            self.current.emit(node, bound)

    def advance_to(self, now: Instant | None, quiet_until: Instant | None = None) -> Emissions:
        """Fire the timers up to `now` and return the matches. None is the end of time, which
        recurring windows never reach.
        """
        found: Emissions = []
        step, timers = self.current, self._timers.waiting
        step.quiet_until = quiet_until
        if now is not None and now > self.known:
            self.know(now)
        while timers and (now is None or timers[0][0] <= now):
            due = timers[0][0]
            step.begin(due)
            fired = self._timers.take(due)
            if now is None and due > self.known:
                step.fire([each for each in fired if not each[0].is_endless])
            else:
                step.fire(fired)
            found += step.found
        step.quiet_until = None
        return found

    def know(self, now: Instant) -> None:
        """Move the clock; operators that wait for a first instant begin."""
        self.known = now
        if self._without_clock:
            unbegun, self._without_clock = self._without_clock, []
            for node in unbegun:
                if not node.is_removed:
                    self._failures.contain(node, node.on_clock_start, now, True, self.current)

    def resume(self, known: Instant) -> None:
        """Set the clock after operators have loaded a snapshot taken at that instant."""
        self.known = known
        if self.has_begun:
            self._without_clock.clear()

    def forget_before(self, now: Instant) -> None:
        """Drop all that no event which ends at `now` or later can complete. Only operators with an
        expiry that is due are visited.
        """
        self.current.pairs.forget_before(now)
        for node in self._timers.take_expired(now):
            self._failures.contain(node, self._forget, node, now)

    def _forget(self, node: Operator, now: Instant) -> None:
        node.forget_before(now)
        due = node.next_expiry()
        if due is not None:
            self._timers.schedule_expiry(node, due)
