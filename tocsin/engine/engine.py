"""The engine over plans: atoms match batch by batch, composites are detected event by event.

It never reads a clock. Equal atoms are one, standing alone or inside a composite: each is matched
once. All effects of a call are in the value that it returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING

import numpy as np

from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.detection.base import State
from tocsin.engine.detection.batch.emitters import FoundRow
from tocsin.engine.detection.batch.runtime import Wanted
from tocsin.engine.detection.inspection import NetworkView
from tocsin.engine.detection.scheduling.network import QUEUE_LIMIT, Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.engine.results import (
    NO_ATOMIC_MATCHES,
    NO_BATCH_MATCHES,
    NOTHING,
    AtomicMatches,
    BatchMatches,
    BatchResult,
    CompositeInput,
    DetectionResult,
    OperatorFault,
    OutputKinds,
    RenderFailure,
)
from tocsin.errors import name_taken
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, deduplicate, lazy_matches, match_of_event
from tocsin.lazy_import import LazyModule
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.composites import Forward, Plan
from tocsin.plan.semantics.bounds import find_expired_window
from tocsin.plan.semantics.condition_evaluation import selected_values
from tocsin.plan.semantics.match_rendering import (
    Documents,
    MatchRenderer,
    has_plain_place,
    match_of_atom,
)
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.plan.xml.construction import Ask
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.values.time import Instant, is_instant

if TYPE_CHECKING:
    from tocsin.engine.xml import nested_queries as nested
else:
    nested = LazyModule("tocsin.engine.xml.nested_queries")

_ATOM_MARK = "\0"
"""First character of the matcher's keys for atoms of composites; no subscription id starts with it.
"""


class Engine:
    """Plans by key. A failed `add` or `remove` changes nothing.

    With `contains_faults` a composite that raises is reported in the result, and the others
    continue; else the exception propagates. A given `network` serves the composites in place of an
    own one.
    """

    __slots__ = (
        "_atom_keys",
        "_atoms",
        "_composites",
        "_matchers",
        "_network",
        "_numbers",
        "_plans_to_render",
        "_targets",
        "outputs",
    )

    def __init__(
        self,
        matchers: AtomMatchers | None = None,
        queue_limit: int = QUEUE_LIMIT,
        *,
        contains_faults: bool = False,
        network: Network | None = None,
    ) -> None:
        self._matchers = AtomMatchers() if matchers is None else matchers
        self._network = (
            Network(self._matchers.rows, queue_limit, contains_faults=contains_faults)
            if network is None
            else network
        )
        self._plans_to_render: dict[str, Plan] = {}
        self._composites: set[str] = set()
        self.outputs = OutputKinds()
        """How the matches of each subscription are rendered. Read-only."""
        self._atoms: dict[str, Atom] = {}
        self._atom_keys: dict[Atom, str] = {}
        self._targets: dict[int, str | Atom] = {}
        self._numbers = 0

    def __len__(self) -> int:
        return len(self._matchers) - len(self._atoms) + len(self._composites)

    def __contains__(self, key: object) -> bool:
        return key in self._composites or (key in self._matchers and key not in self._atoms)

    def add(self, key: str, plan: Plan) -> None:
        """Add a subscription."""
        if key in self:
            raise name_taken(key)
        if isinstance(plan.pattern, Atom):
            self._matchers.add(key, plan.pattern)
        else:
            self._add_composite(key, plan)
        if not isinstance(plan.pattern, Condition) or not isinstance(plan.output, Forward):
            self._plans_to_render[key] = plan
        self.outputs.add(key, plan)

    def remove(self, key: str) -> None:
        """Remove a subscription and all state that only it used."""
        self._targets.clear()  # slots are reused
        self._plans_to_render.pop(key, None)
        self.outputs.remove(key)
        if key not in self._composites:
            self._matchers.remove(key)
            return
        for atom in self._network.remove(key):
            self._leave(atom)
        self._composites.remove(key)

    def plan_of(self, key: str) -> Plan | None:
        """Return the plan of a subscription; None for a condition that forwards its events."""
        return self._plans_to_render.get(key)

    @property
    def network(self) -> NetworkView:
        """Read-only view of the operators of all composites."""
        return self._network

    def match(self, batch: EventBatch) -> BatchResult:
        """Match a batch against all atoms.

        Returns atomic matches and composite inputs, by event, then by subscription order.
        """
        matchers = self._matchers
        hits = matchers.match(batch)
        rings: AtomicMatches = NO_ATOMIC_MATCHES
        relevant: Sequence[CompositeInput] = []
        if not self._atoms and len(hits.slots):
            rings = AtomicMatches(hits.events, matchers.keys_of(hits.slots))
        elif len(hits.slots):
            rings, relevant = self._part(hits.events.tolist(), hits.slots.tolist())
        return BatchResult(rings, relevant, matchers.refused, self._undecided(), matchers.warned)

    def render_atomic_match(self, key: str, event: Event) -> Match | RenderFailure | None:
        """Render the match of an atomic subscription and an event.

        None if the output is empty, Untold if it exceeds the work limit.
        """
        if key in self.outputs.forwarding:
            return match_of_event(key, event)
        plan = self._plans_to_render[key]
        assert isinstance(plan.pattern, Atom)
        try:
            return match_of_atom(
                key,
                event,
                self._matchers.rows(plan.pattern, event),
                plan.output,
                _read_nested_queries,
            )
        except WorkLimitExceeded as why:
            return RenderFailure(key, (event,), why)

    def detect(self, event: Event, atoms: Iterable[Atom]) -> DetectionResult:
        """Process the next event in canonical order, after the timers due before it."""
        try:
            found = self._network.event(event, atoms)
        except BaseException:
            self._network.abandon_step()
            raise
        return self._render(found, (event,))

    def detect_batch(self, wanted: Wanted) -> Iterator[tuple[BatchMatches, Event, Iterable[Atom]]]:
        """Run the batch path over events in canonical order; yield those that still need `detect`,
        each after the matches found up to it.

        Call `detect` on each before taking the next. The last event is always among them.
        """
        if self.outputs.constructing:  # constructed events precede the next event
            for event, atoms in wanted:
                yield NO_BATCH_MATCHES, event, atoms
            return
        for found, event, atoms in self._network.batches.detect_batch(wanted):
            yield self._found(found) if found else NO_BATCH_MATCHES, event, atoms

    def advance_to(
        self,
        now: Instant | None,
        quiet_until: Instant | None = None,
        rendered: list[Match] | None = None,
    ) -> DetectionResult:
        """Advance the watermark: all events that end by `now` are known. Fires timers; None is the
        end of time.

        `quiet_until` is the instant up to which no event will end either: then many empty periodic
        windows are reported as one. With `rendered` the timers fire one instant at a time, and the
        matches of each are appended there, once; the first instant that gives more than matches, or
        that may construct events, ends the call and is returned.
        """
        if rendered is None:
            return self._render(self._fire(now, quiet_until), ())
        while (due := self._network.next_timer()) is not None and (now is None or due <= now):
            found = self._fire(due, quiet_until)
            if self.outputs.constructing or self._is_troubled():
                detected = self._render(found, ())
            elif found:
                detected = self._put_into(rendered, found)
            else:
                continue
            if detected is not NOTHING:
                return detected
        return NOTHING

    def _put_into(self, rendered: list[Match], found: Emissions) -> DetectionResult:
        """Append the matches of one instant, each once; return them instead if there is more to
        report.
        """
        untold: list[RenderFailure] = []
        faults: list[OperatorFault] = []
        matches = self._matches(found, untold, faults)
        if untold or faults:
            return DetectionResult(matches, (), untold, faults)
        rendered += deduplicate(matches)
        return NOTHING

    def _fire(self, now: Instant | None, quiet_until: Instant | None) -> Emissions:
        """Fire the timers up to an instant; return what they emit."""
        try:
            return self._network.advance_to(
                now, None if quiet_until is None else self._quiet_until(quiet_until)
            )
        except BaseException:
            self._network.abandon_step()
            raise

    def begin_at(self, now: Instant) -> list[str]:
        """Start the clock: the first of all events, relevant to composites or not, ends at `now`.

        Returns the composites that are removed because one of their fixed windows ended before
        that.
        """
        if self._network.has_begun:
            return []
        over = sorted(
            key
            for key in self._composites
            if find_expired_window(self._plans_to_render[key].pattern, now - 1) is not None
        )
        for key in over:
            self.remove(key)
        self._network.begin_at(now)
        return over

    def forget_before(self, now: Instant) -> None:
        """Drop all state that no event which ends at `now` or later can complete."""
        self._network.forget_before(now)

    def snapshot(self) -> State:
        """Return the state of all composites as plain, versioned data."""
        return self._network.snapshot()

    def restore(self, state: State) -> None:
        """Load a snapshot; the subscriptions must have been added before."""
        self._network.restore(state)

    def _add_composite(self, key: str, plan: Plan) -> None:
        added = self._network.add(key, plan.pattern)
        try:
            for atom in added:
                self._follow(atom)
        except BaseException:
            for atom in self._network.remove(key):
                if atom in self._atom_keys:
                    self._leave(atom)
            raise
        self._composites.add(key)

    def _follow(self, atom: Atom) -> None:
        self._numbers += 1
        key = f"{_ATOM_MARK}{self._numbers}"
        self._matchers.add(key, atom)
        self._atom_keys[atom] = key
        self._atoms[key] = atom

    def _leave(self, atom: Atom) -> None:
        key = self._atom_keys.pop(atom)
        del self._atoms[key]
        self._matchers.remove(key)

    def _part(
        self, events: Iterable[int], slots: Iterable[int]
    ) -> tuple[AtomicMatches, Sequence[CompositeInput]]:
        """Split hits into atomic matches and inputs of composites."""
        rung: list[int] = []
        keys: list[str] = []
        wanted: dict[int, list[Atom]] = {}
        targets = self._targets
        for index, slot in zip(events, slots, strict=True):
            target = targets.get(slot) or self._target(slot)
            if isinstance(target, str):
                rung.append(index)
                keys.append(target)
            elif index in wanted:
                wanted[index].append(target)
            else:
                wanted[index] = [target]
        rings = AtomicMatches(np.array(rung, np.int32), keys) if keys else NO_ATOMIC_MATCHES
        return rings, [CompositeInput(index, tuple(atoms)) for index, atoms in wanted.items()]

    def _target(self, slot: int) -> str | Atom:
        """Return the subscription, or the atom of composites, of a slot; cached."""
        key = self._matchers.key_of(slot)
        target = self._targets[slot] = self._atoms.get(key, key)
        return target

    def _undecided(self) -> list[tuple[int, str | None]]:
        pairs = self._matchers.undecided
        return [(index, None if key in self._atoms else key) for index, key in pairs]

    def _quiet_until(self, quiet_until: Instant) -> Instant:
        """Return the instant up to which no event can end; a constructed event may end at a
        deadline.
        """
        if not self.outputs.constructing:
            return quiet_until
        due = self._network.next_deadline()
        return quiet_until if due is None else min(quiet_until, due - 1)

    def _render(self, found: Emissions, events: tuple[Event, ...]) -> DetectionResult:
        """Return the result of a step over `events`, failures included."""
        troubles = self._network.failures
        if not (found or self._is_troubled()):
            return NOTHING
        untold: list[RenderFailure] = []
        suspended = self._suspend(untold) if troubles.aborted or troubles.overfull else []
        raised = troubles.take_faults() if troubles.faults else []
        faults = [OperatorFault(error, events, key) for key, error in raised]
        if suspended:
            found = [each for each in found if each[0] in self._composites]
        return DetectionResult(self._matches(found, untold, faults), suspended, untold, faults)

    def _is_troubled(self) -> bool:
        """True if a failure is not yet reported."""
        troubles = self._network.failures
        return bool(troubles.aborted or troubles.overfull or troubles.faults)

    def _suspend(self, failures: list[RenderFailure]) -> list[str]:
        """Remove subscriptions with too much state, or with repeated aborts; nothing is trimmed.

        Aborted steps are added to `failures`.
        """
        troubles = self._network.failures
        suspended: list[str] = []
        for key, events, why in troubles.take_aborted():
            failures.append(RenderFailure(key, events, why))
            if troubles.has_aborted_too_often(key):
                self.remove(key)
                suspended.append(key)
        for key in troubles.take_overfull():
            self.remove(key)
            suspended.append(key)
        return suspended

    def _found(self, found: Sequence[FoundRow]) -> BatchMatches:
        """Return the matches of occurrences that a batch has found; most are rendered when they are
        read.
        """
        pairs = [(key, row) for row in found if not row.node.is_removed for key in row.node.keys]
        keys, rows = [key for key, _ in pairs], [row for _, row in pairs]
        instants, numbers = [row.end for row in rows], [row.number for row in rows]
        if self.outputs.selecting.isdisjoint(keys) and all(map(_may_wait, found)):
            matches = lazy_matches(keys, [row.members for row in rows], rows)
            return BatchMatches(matches, instants=instants, numbers=numbers)
        untold: list[RenderFailure] = []
        faults: list[OperatorFault] = []
        each = [self._matches([(key, row)], untold, faults) for key, row in pairs]
        counts = list(map(len, each))
        return BatchMatches(
            list(chain.from_iterable(each)),
            (),
            untold,
            faults,
            list(compress(instants, counts)),
            list(compress(numbers, counts)),
        )

    def _matches(
        self,
        found: Iterable[tuple[str, Occurrence | FoundRow]],
        failures: list[RenderFailure],
        faults: list[OperatorFault],
    ) -> list[Match]:
        """Render the matches of composites; matches of one occurrence share its rendering."""
        matches: list[Match] = []
        tellings: dict[int, MatchRenderer] = {}
        for key, occurrence in found:
            try:
                told = tellings.get(id(occurrence))
                if told is None:
                    told = tellings[id(occurrence)] = MatchRenderer(occurrence, writes_place=False)
                plan = self._plans_to_render[key]
                selected = selected_values(plan.select, occurrence.names) if plan.select else None
                match = told.match(key, plan.output, _read_nested_queries, selected)
            except WorkLimitExceeded as why:
                failures.append(RenderFailure(key, occurrence.members, why))
            except Exception as error:
                if not self._network.failures.contains_faults:
                    raise
                faults.append(OperatorFault(error, occurrence.members, key))
            else:
                if match is not None:
                    matches.append(match)
        return matches


def _may_wait(row: FoundRow) -> bool:
    """True if the matches of an occurrence can be rendered later, since that cannot fail."""
    if not has_plain_place(row.first):
        return False
    if row.last is None:
        return is_instant(row.end) and is_instant(row.first.order[0])
    return has_plain_place(row.last)


def _read_nested_queries(documents: Documents) -> Ask:
    """Return the function that answers nested queries of a construction."""
    return nested.make_nested_query_reader(documents)
