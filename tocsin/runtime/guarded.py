"""The engine with fault isolation: the same methods, and no event or subscription makes one raise.

Each result, an `Outcome`, includes the dead letters and the suspended subscriptions. A fault of an
event whose views cannot be built counts against no subscription; otherwise a subscription that
raises repeatedly, without a match in between, is suspended.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from tocsin.engine import results
from tocsin.engine.columns.batch import Batch
from tocsin.engine.detection.batch.emitters import BY_TIME
from tocsin.engine.engine import Engine
from tocsin.engine.results import BatchMatches, DetectionResult, OperatorFault, RenderFailure
from tocsin.errors import EventProblem, Problem
from tocsin.events.dead_letter import (
    DeadLetter,
    builds_no_more,
    invalid_output,
    over_work_limit,
    state_too_large,
    suspended_for_faults,
    suspended_for_matches,
    too_many_hops,
    unevaluable_event,
    window_over,
)
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, constructed_events, matches_of_events
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.containment import (
    MAX_FAILURES,
    FailureCounter,
    is_at_fault,
    isolate_subscriptions,
    run_by_halves,
)
from tocsin.runtime.limits import FanOut, MatchLimit
from tocsin.values.time import Instant


class UnservedSubscription(NamedTuple):
    """A subscription that is not served from now on, and the dead letter with the reason."""

    subscription: str
    letter: DeadLetter


@dataclass(slots=True)
class Outcome:
    """Matches, dead letters, ended subscriptions with reasons, warnings about served events."""

    matches: list[Match] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    ended: list[UnservedSubscription] = field(default_factory=list)
    warned: list[tuple[Event, EventProblem]] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Append a later outcome."""
        if other is EMPTY_OUTCOME:
            return
        self.matches += other.matches
        self.letters += other.letters
        self.ended += other.ended
        self.warned += other.warned

    def settle(self) -> Outcome:
        """Append the dead letters of the ended subscriptions to the others, and return the outcome.

        For a host that reports all of them; of several shards one reports each.
        """
        self.letters += (letter for _, letter in self.ended)
        return self


EMPTY_OUTCOME = Outcome()
"""The empty outcome, returned for most events. Read-only: to accumulate, create a new `Outcome`."""


@dataclass(slots=True)
class GuardedBatchResult:
    """The result of a batch: atomic matches to render, composite inputs, unserved events,
    diagnostics.

    It does not depend on the batch in which an event was matched.
    """

    atomic_matches: list[tuple[Event, str]] = field(default_factory=list)
    relevant: list[tuple[Event, tuple[Atom, ...]]] = field(default_factory=list)
    unserved: list[Event] = field(default_factory=list)
    diagnostics: Outcome = field(default_factory=Outcome)

    def add(self, other: GuardedBatchResult) -> None:
        """Append the result of further events or further subscriptions."""
        self.atomic_matches += other.atomic_matches
        self.relevant += other.relevant
        self.unserved += other.unserved
        self.diagnostics.add(other.diagnostics)


Plans = Callable[[], Mapping[str, Plan]]
"""The plans that the engine serves, by key; called only when an event raises."""


class GuardedEngine:
    """An engine with fault isolation, and the failure counts of its subscriptions."""

    __slots__ = ("_failures", "_fan_out", "_plans", "_suspended", "_suspends", "engine", "limit")

    def __init__(
        self,
        engine: Engine,
        plans: Plans,
        fan_out: FanOut | None = None,
        *,
        limit: MatchLimit | None = None,
        suspends: bool = True,
    ) -> None:
        self.engine = engine
        self._fan_out = fan_out or FanOut()
        self._suspends = suspends
        self._plans = plans
        self._failures = FailureCounter()
        self.limit = limit or MatchLimit()
        self._suspended: set[str] = set()

    def match(self, events: Sequence[Event]) -> GuardedBatchResult:
        """Match a batch against all atoms; return atomic matches and composite inputs."""
        self.limit.events += len(events)
        found, parts = GuardedBatchResult(), list[GuardedBatchResult]()
        for part, served in run_by_halves(events, partial(_matched, self.engine)):
            if isinstance(served, GuardedBatchResult):
                if part is events:
                    return served  # nothing raised
                parts.append(served)
            elif (rest := self._match_isolated(part[0], served, found.diagnostics)) is not None:
                parts.append(rest)
            else:
                found.unserved.append(part[0])
        for each in parts:
            found.add(each)
        return found

    def render_atomic_matches(self, atomic_matches: Sequence[tuple[Event, str]]) -> Outcome:
        """Render the matches of atomic subscriptions. A match that raises becomes a dead letter."""
        usual = self._render_batch(atomic_matches)
        return self._render_one_by_one(atomic_matches) if usual is None else Outcome(usual)

    def _render_batch(self, atomic_matches: Sequence[tuple[Event, str]]) -> list[Match] | None:
        """Return the matches of a batch without outputs, or None if each needs its own rendering.

        None if a subscription has failures or an output, or if rendering raises.
        """
        keys = [key for _, key in atomic_matches]
        different = set(keys)
        if self._failures or not self._suspended.isdisjoint(different):
            return None
        if not different <= self.engine.outputs.forwarding:
            return None
        try:
            return matches_of_events(keys, [event for event, _ in atomic_matches])
        except Exception:  # `_render_one_by_one` finds the subscription at fault
            return None

    def _render_one_by_one(self, atomic_matches: Iterable[tuple[Event, str]]) -> Outcome:
        outcome = Outcome()
        ring, forwarding = self.engine.render_atomic_match, self.engine.outputs.forwarding
        suspended = self._suspended
        for event, key in atomic_matches:
            if key in suspended:
                continue
            if key not in forwarding:
                self._render_match(key, event, outcome)
                continue
            try:  # the common kind: a match without output
                told = ring(key, event)
            except Exception as error:
                self._record_fault(OperatorFault(error, (event,), key), outcome)
                continue
            assert isinstance(told, Match)
            self._failures.forget(key)
            outcome.matches.append(told)
        return outcome

    def detect(self, event: Event, atoms: Iterable[Atom]) -> Outcome:
        """Run the timers due before the next event in canonical order, then the event itself."""
        try:
            found = self.engine.detect(event, atoms)
        except Exception as error:
            return Outcome(letters=[OperatorFault(error, (event,)).letter()])
        return EMPTY_OUTCOME if found is results.NOTHING else self._to_outcome(found)

    def accept(self, found: BatchMatches) -> Outcome:
        """Take the matches that a batch has found, event by event where a limit counts them."""
        if not self.limit.is_on:
            return self._to_outcome(found)
        outcome, begin = Outcome(), 0
        for number, group in groupby(found.numbers):
            end = begin + sum(1 for _ in group)
            part = found.between(begin, end)
            left = [match for match in part.matches if match.subscription in self.engine]
            served = DetectionResult(left, (), part.render_failures, part.faults)
            outcome.add(self._to_outcome(served, by_time=number == BY_TIME))
            begin = end
        return outcome

    def advance_to(self, now: Instant | None, quiet_until: Instant | None = None) -> Outcome:
        """Fire the timers up to an instant; None for the end of time.

        `quiet_until` is an instant up to which no event will come, as for the engine.
        """
        try:
            found = self.engine.advance_to(now, quiet_until)
        except Exception as error:
            return Outcome(letters=[OperatorFault(error).letter()])
        return EMPTY_OUTCOME if found is results.NOTHING else self._to_outcome(found, by_time=True)

    def pass_instants(self, now: Instant, outcome: Outcome) -> Outcome:
        """Fire the timers up to `now`, instant by instant; stop at the first that needs attention.

        Matches without output go straight to `outcome`, without duplicates per instant. The first
        instant with any other result ends the call and is returned; NOTHING if all timers have
        fired.
        """
        engine = self.engine
        while (due := engine.network.next_timer()) is not None and due <= now:
            try:
                if self._suspended or self._failures or self.limit.is_on:
                    found = engine.advance_to(due, now)
                else:
                    found = engine.advance_to(now, now, outcome.matches)
            except Exception as error:
                return Outcome(letters=[OperatorFault(error).letter()])
            if found is not results.NOTHING:
                return self._to_outcome(found, by_time=True)
        return EMPTY_OUTCOME

    def begin_at(self, now: Instant) -> Outcome:
        """Start the time of composites; end those whose windows are over by then."""
        return Outcome(
            ended=[UnservedSubscription(key, window_over(key)) for key in self.engine.begin_at(now)]
        )

    def publish(self, found: Collection[Match]) -> tuple[list[Event], Outcome]:
        """Return the events constructed by the matches of one instant; those over a limit are dead
        letters.
        """
        constructing = self.engine.outputs.constructing
        if not constructing:
            return [], EMPTY_OUTCOME
        building = [match for match in found if match.subscription in constructing]
        if not building:
            return [], EMPTY_OUTCOME
        outcome = Outcome()
        events, letters = self._fan_out.publish(
            (match, self._built(match, outcome)) for match in building
        )
        outcome.letters += letters
        return events, outcome

    def origin_of(self, event: Event) -> tuple[str, str]:
        """Return the identity of the received event that an event was constructed from."""
        return self._fan_out.origin_of(event.identity)

    def snapshot(self) -> dict[str, Any]:
        """Return failure counts, amounts built and match counts as plain data."""
        return {
            "strikes": self._failures.snapshot(),
            "fan_out": self._fan_out.snapshot(),
            "matches": self.limit.snapshot(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the state with a snapshot."""
        self._failures.restore(state["strikes"])
        self._fan_out.restore(state["fan_out"])
        self.limit.restore(state.get("matches", {}))  # earlier versions had none

    def forget(self, key: str) -> None:
        """Reset failures and match counts of an id that was removed or has a new subscription."""
        self._failures.forget(key)
        self._suspended.discard(key)
        self.limit.forget(key)

    def _render_match(self, key: str, event: Event, outcome: Outcome) -> None:
        constructs = key in self.engine.outputs.constructing
        if constructs and not self._fan_out.may_build(event):
            outcome.letters.append(builds_no_more(event, key))
            return
        try:
            told = self.engine.render_atomic_match(key, event)
        except Exception as error:
            self._record_fault(OperatorFault(error, (event,), key), outcome)
            return
        self._failures.forget(key)
        if isinstance(told, RenderFailure):
            outcome.letters.append(told.letter())
        elif told is not None:
            outcome.matches.append(told)
            if constructs:
                self._fan_out.note(event, told)

    def _built(self, match: Match, outcome: Outcome) -> list[Event]:
        """Return the events that a match constructs; an output that is not an event is a dead
        letter.
        """
        try:
            events = constructed_events(match)
        except Problem as problem:
            outcome.letters.append(invalid_output(match.subscription, match.id, problem))
            return []
        except Exception as error:
            self._record_fault(OperatorFault(error, match.members, match.subscription), outcome)
            return []
        if match.outputs and not events:
            outcome.letters.append(too_many_hops(match.subscription, match.id))
        return events

    def _match_isolated(
        self, event: Event, error: Exception, outcome: Outcome
    ) -> GuardedBatchResult | None:
        """Match an event that raises against those subscriptions for which it does not.

        None if there is no such subscription.
        """
        plans = self._plans()
        keys = sorted(plans, key=lambda key: type(plans[key].pattern).__name__)
        apart = isolate_subscriptions(
            keys, lambda group: _matched(_engine_of(group, plans), (event,))
        )
        at_fault = is_at_fault(event)
        for key, raised in apart.raised.items():
            self._record_fault(OperatorFault(raised, (event,), key), outcome, at_fault)
        if apart.rest is not None or not apart.raised:
            outcome.letters.append(OperatorFault(apart.rest or error, (event,)).letter())
        return _merge_results(event, apart.results) if apart.results else None

    def _to_outcome(self, found: DetectionResult, *, by_time: bool = False) -> Outcome:
        """Convert a detection result; drop matches of subscriptions suspended for faults."""
        odd = found.render_failures or found.faults or found.suspended
        if not (odd or self._suspended or self._failures):
            return self._limited(Outcome(list(found.matches)), by_time)
        outcome = Outcome(letters=[each.letter() for each in found.render_failures])
        for fault in found.faults:
            self._record_fault(fault, outcome)
        outcome.ended += (
            UnservedSubscription(key, state_too_large(key)) for key in found.suspended
        )
        for match in found.matches:
            if match.subscription not in self._suspended:
                self._failures.forget(match.subscription)
                outcome.matches.append(match)
        return self._limited(outcome, by_time)

    def _limited(self, outcome: Outcome, by_time: bool) -> Outcome:
        """Suspend subscriptions over the match limit; their matches of this event still count."""
        if self.limit.is_on and outcome.matches:
            count = self.limit.count_by_time if by_time else self.limit.count
            counted = count(match.subscription for match in outcome.matches)
            for key, passed in counted.items():
                self.limit.forget(key)
                if key in self.engine:
                    self.engine.remove(key)
                    letter = suspended_for_matches(key, passed)
                    outcome.ended.append(UnservedSubscription(key, letter))
        return outcome

    def _record_fault(
        self, fault: OperatorFault, outcome: Outcome, at_fault: bool | None = None
    ) -> None:
        """Add a dead letter for a fault; count it against its subscription unless an event is at
        fault.
        """
        outcome.letters.append(fault.letter())
        key = fault.subscription
        if key is None or key in self._suspended or not self._suspends:
            return
        if any(map(is_at_fault, fault.events)) if at_fault is None else at_fault:
            return
        if self._failures.add(key):
            self._failures.forget(key)
            self._suspended.add(key)
            self.engine.remove(key)
            letter = suspended_for_faults(key, fault.error, MAX_FAILURES)
            outcome.ended.append(UnservedSubscription(key, letter))


def _matched(engine: Engine, events: Sequence[Event]) -> GuardedBatchResult:
    """Match events with an engine and convert the result; errors of the engine pass."""
    batch = Batch(events)
    matched = engine.match(batch)
    rings = matched.atomic_matches
    relevant = np.array([each.index for each in matched.composite_inputs], np.intp)
    letters = [
        unevaluable_event(events[index], problem) for index, problem in matched.refused.items()
    ]
    letters += [over_work_limit(events[index], key) for index, key in matched.undecided]
    return GuardedBatchResult(
        list(zip(batch.chosen(rings.events), rings.keys, strict=True)),
        [
            (event, each.atoms)
            for event, each in zip(batch.chosen(relevant), matched.composite_inputs, strict=True)
        ],
        diagnostics=Outcome(
            letters=letters, warned=[(events[index], odd) for index, odd in matched.warned]
        ),
    )


def _engine_of(keys: Iterable[str], plans: Mapping[str, Plan]) -> Engine:
    """Return a new engine, without state, for some of the subscriptions."""
    engine = Engine()
    for key in keys:
        engine.add(key, plans[key])
    return engine


def _merge_results(event: Event, results: Iterable[GuardedBatchResult]) -> GuardedBatchResult:
    """Merge the results of several engines for one event: each atom, warning and letter once."""
    found = GuardedBatchResult()
    for each in results:
        found.add(each)
    atoms = dict.fromkeys(atom for _, atoms in found.relevant for atom in atoms)
    found.relevant = [(event, tuple(atoms))] if atoms else []
    beside = found.diagnostics
    beside.warned = list({(odd.code, odd.token): (event, odd) for _, odd in beside.warned}.values())
    beside.letters = list(dict.fromkeys(beside.letters))
    return found
