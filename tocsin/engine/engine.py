"""The engine over plans: atoms match batch by batch, composites are detected event by event.

It never reads a clock. Equal atoms are one, standing alone or inside a composite: each is matched
once. All effects of a call are in the value that it returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import EventBatch
from tocsin.engine.detection.base import State
from tocsin.engine.detection.batch.runtime import Wanted
from tocsin.engine.detection.inspection import NetworkView
from tocsin.engine.detection.scheduling.network import QUEUE_LIMIT, Network
from tocsin.engine.detection.scheduling.steps import Found
from tocsin.engine.results import (
    NO_RINGS,
    NOTHING,
    Detected,
    Fault,
    Matched,
    Relevant,
    Rings,
    Untold,
)
from tocsin.errors import StateProblem
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, match_of_event, once
from tocsin.lazy_import import Deferred
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.composites import Forward, Plan
from tocsin.plan.semantics.expired_windows import past_window
from tocsin.plan.semantics.match_rendering import Documents, Told, match_of_atom
from tocsin.plan.semantics.measure_evaluation import selected_values
from tocsin.plan.xml.construction import Ask, Construct
from tocsin.plan.xml.row_functions import GivenUp
from tocsin.values.time import Instant

if TYPE_CHECKING:
    from tocsin.engine.xml import nested_queries as nested
else:
    nested = Deferred("tocsin.engine.xml.nested_queries")

_ATOM_MARK = "\0"
"""First character of the matcher's keys for atoms of composites; no subscription id starts with it.
"""


class Engine:
    """Plans by key. A failed `add` or `remove` changes nothing.

    With `contains_faults` a composite that raises is reported in the result, and the others
    continue; else the exception propagates.
    """

    __slots__ = (
        "_atom_keys",
        "_atoms",
        "_composites",
        "_constructing",
        "_matchers",
        "_network",
        "_numbers",
        "_targets",
        "_telling",
    )

    def __init__(
        self,
        matchers: AtomMatchers | None = None,
        queue_limit: int = QUEUE_LIMIT,
        *,
        contains_faults: bool = False,
    ) -> None:
        self._matchers = AtomMatchers() if matchers is None else matchers
        self._network = Network(self._matchers.rows, queue_limit, contains_faults=contains_faults)
        self._telling: dict[str, Plan] = {}
        self._composites: set[str] = set()
        self._constructing: set[str] = set()
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
            raise StateProblem(
                f"the subscription {key!r} is already there",
                code="DuplicateSubscriptionError",
                token=key,
                hint="remove it first, or choose another id",
            )
        if isinstance(plan.pattern, Atom):
            self._matchers.add(key, plan.pattern)
        else:
            self._add_composite(key, plan)
        if not isinstance(plan.pattern, Condition) or not isinstance(plan.output, Forward):
            self._telling[key] = plan
        if isinstance(plan.output, Construct):
            self._constructing.add(key)

    def remove(self, key: str) -> None:
        """Remove a subscription and all state that only it used."""
        self._targets.clear()  # slots are reused
        self._telling.pop(key, None)
        self._constructing.discard(key)
        if key not in self._composites:
            self._matchers.remove(key)
            return
        for atom in self._network.remove(key):
            self._leave(atom)
        self._composites.remove(key)

    def plan_of(self, key: str) -> Plan | None:
        """Return the plan of a subscription; None for a condition that forwards its events."""
        return self._telling.get(key)

    @property
    def network(self) -> NetworkView:
        """Read-only view of the operators of all composites."""
        return self._network

    def match(self, batch: EventBatch) -> Matched:
        """Match a batch against all atoms.

        Returns atomic matches and composite inputs, by event, then by subscription order.
        """
        matchers = self._matchers
        hits = matchers.match(batch)
        rings: Rings = NO_RINGS
        relevant: Sequence[Relevant] = []
        if not self._atoms and len(hits.slots):
            rings = Rings(hits.events, matchers.keys_of(hits.slots))
        elif len(hits.slots):
            rings, relevant = self._part(hits.events.tolist(), hits.slots.tolist())
        return Matched(rings, relevant, matchers.refused, self._undecided(), matchers.warned)

    def ring(self, key: str, event: Event) -> Match | Untold | None:
        """Render the match of an atomic subscription and an event.

        None if the output is empty, Untold if it exceeds the work limit.
        """
        plan = self._telling.get(key)
        if plan is None:
            return match_of_event(key, event)
        assert isinstance(plan.pattern, Atom)
        try:
            return match_of_atom(
                key, event, self._matchers.rows(plan.pattern, event), plan.output, _asking
            )
        except GivenUp as why:
            return Untold(key, (event,), why)

    def detect(self, event: Event, atoms: Iterable[Atom]) -> Detected:
        """Process the next event in canonical order, after the timers due before it."""
        try:
            found = self._network.event(event, atoms)
        except BaseException:
            self._network.abandon_step()
            raise
        return self._tell(found, (event,))

    def sift(self, wanted: Wanted) -> Iterator[tuple[Event, Iterable[Atom]]]:
        """Run the batch path over events in canonical order; yield those that still need `detect`.

        Call `detect` on each before taking the next. The other events emit nothing, and their state
        is updated here.
        """
        if self._constructing:  # constructed events precede the next event
            return iter(wanted)
        return self._network.batches.sift(wanted)

    def advance_to(
        self, now: Instant | None, leap: Instant | None = None, told: list[Match] | None = None
    ) -> Detected:
        """Advance the watermark: all events that end by `now` are known. Fires timers; None is the
        end of time.

        `leap` is the instant up to which no event will end either: then many empty periodic windows
        are reported as one. With `told` the timers fire one instant at a time, and the matches of
        each are appended there, once; the first instant that gives more than matches, or that may
        construct events, ends the call and is returned.
        """
        if told is None:
            return self._tell(self._fire(now, leap), ())
        while (due := self._network.next_timer()) is not None and (now is None or due <= now):
            found = self._fire(due, leap)
            if self._constructing or self._is_troubled():
                detected = self._tell(found, ())
            elif found:
                detected = self._put_into(told, found)
            else:
                continue
            if detected is not NOTHING:
                return detected
        return NOTHING

    def _put_into(self, told: list[Match], found: Found) -> Detected:
        """Append the matches of one instant, each once; return them instead if there is more to
        report.
        """
        untold: list[Untold] = []
        faults: list[Fault] = []
        matches = self._matches(found, untold, faults)
        if untold or faults:
            return Detected(matches, (), untold, faults)
        told += once(matches)
        return NOTHING

    def _fire(self, now: Instant | None, leap: Instant | None) -> Found:
        """Fire the timers up to an instant; return what they emit."""
        try:
            return self._network.advance_to(now, None if leap is None else self._quiet_until(leap))
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
            if past_window(self._telling[key].pattern, now - 1) is not None
        )
        for key in over:
            self.remove(key)
        self._network.begin_at(now)
        return over

    def next_timer(self) -> Instant | None:
        """Return the soonest instant at which time alone may emit; None without timers."""
        return self._network.next_timer()

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
    ) -> tuple[Rings, Sequence[Relevant]]:
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
        rings = Rings(np.array(rung, np.int32), keys) if keys else NO_RINGS
        return rings, [Relevant(index, tuple(atoms)) for index, atoms in wanted.items()]

    def _target(self, slot: int) -> str | Atom:
        """Return the subscription, or the atom of composites, of a slot; cached."""
        key = self._matchers.key_of(slot)
        target = self._targets[slot] = self._atoms.get(key, key)
        return target

    def _undecided(self) -> list[tuple[int, str | None]]:
        pairs = self._matchers.undecided
        return [(index, None if key in self._atoms else key) for index, key in pairs]

    def _quiet_until(self, leap: Instant) -> Instant:
        """Return the instant up to which no event can end; a constructed event may end at a
        deadline.
        """
        if not self._constructing:
            return leap
        due = self._network.next_deadline()
        return leap if due is None else min(leap, due - 1)

    def _tell(self, found: Found, events: tuple[Event, ...]) -> Detected:
        """Return the result of a step over `events`, failures included."""
        troubles = self._network.troubles
        if not (found or self._is_troubled()):
            return NOTHING
        untold: list[Untold] = []
        suspended = self._suspend(untold) if troubles.given_up or troubles.overfull else []
        raised = troubles.take_faults() if troubles.faults else []
        faults = [Fault(error, events, key) for key, error in raised]
        if suspended:
            found = [each for each in found if each[0] in self._composites]
        return Detected(self._matches(found, untold, faults), suspended, untold, faults)

    def _is_troubled(self) -> bool:
        """True if a failure is not yet reported."""
        troubles = self._network.troubles
        return bool(troubles.given_up or troubles.overfull or troubles.faults)

    def _suspend(self, untold: list[Untold]) -> list[str]:
        """Remove subscriptions with too much state, or with repeated aborts; nothing is trimmed.

        Aborted steps are added to `untold`.
        """
        troubles = self._network.troubles
        suspended: list[str] = []
        for key, events, why in troubles.take_given_up():
            untold.append(Untold(key, events, why))
            if troubles.is_hopeless(key):
                self.remove(key)
                suspended.append(key)
        for key in troubles.take_overfull():
            self.remove(key)
            suspended.append(key)
        return suspended

    def _matches(self, found: Found, untold: list[Untold], faults: list[Fault]) -> list[Match]:
        """Render the matches of composites; matches of one occurrence share its rendering."""
        matches: list[Match] = []
        tellings: dict[int, Told] = {}
        for key, occurrence in found:
            try:
                told = tellings.get(id(occurrence))
                if told is None:
                    told = tellings[id(occurrence)] = Told(occurrence, writes_place=False)
                plan = self._telling[key]
                selected = selected_values(plan.select, occurrence.names) if plan.select else None
                match = told.match(key, plan.output, _asking, selected)
            except GivenUp as why:
                untold.append(Untold(key, occurrence.members, why))
            except Exception as error:
                if not self._network.troubles.contains_faults:
                    raise
                faults.append(Fault(error, occurrence.members, key))
            else:
                if match is not None:
                    matches.append(match)
        return matches


def _asking(documents: Documents) -> Ask:
    """Return the function that answers nested queries of a construction."""
    return nested.asking(documents)
