"""The core of every hub: it acts in steps, each of which returns its result as a value.

It has no lock, thread or receiver, and its time is that of its owner. Equal steps give equal
matches and equal state, in any process. So a snapshot and the steps since are all that must be
stored. `Hub` adds a lock, a clock and receivers; the service takes the steps itself, with `step`.

Events advance time. In `step`, if none arrives for the `idle` time, stream time continues from its
last instant at the pace of the owner's clock, as on Spark: a replay of last year does not jump to
this year.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

from tocsin.catalog import Definition, Subscription
from tocsin.engine.detection.base import Pending, State
from tocsin.engine.detection.inspection import OperatorView
from tocsin.engine.detection.scheduling.network import QUEUE_LIMIT
from tocsin.engine.engine import Engine
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.decode import decode_all, events_of_mapping
from tocsin.events.codecs.reception import EventEndRule, parse_event_end_rule, stamp_reception
from tocsin.events.dead_letter import (
    DeadLetter,
    malformed_input,
    shown_object,
    subscription_broken,
    unreadable,
)
from tocsin.events.event import MANY, Event
from tocsin.hub.subscription_registry import RegistryChange, SubscriptionRegistry
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.wire.wire import plan_to_json
from tocsin.runtime.admission import DEFAULT_AHEAD, AdmissionResult, FutureLimit
from tocsin.runtime.gc_tuning import freeze_living, rare_collection
from tocsin.runtime.guarded import GuardedEngine, Outcome, UnservedSubscription
from tocsin.runtime.limits import MatchLimit
from tocsin.runtime.sequencer import LiveSequencer
from tocsin.runtime.watermark import StreamClock
from tocsin.values.time import Instant, parse_duration

if TYPE_CHECKING:
    from tocsin.catalog import (
        Catalog,  # loads the database libraries, which a Hub without one spares
    )

VERSION = 1

Clock = Callable[[], Instant]
"""Returns the current time."""

MANY_SUBSCRIPTIONS = 1_000
"""New subscriptions from which on the collector is kept from them: walking a million of their
objects takes longer than all else that an event needs.
"""

Given = Event | Mapping[str, Any] | bytes | str
"""An event in any form accepted by `publish`."""


@dataclass(slots=True)
class Counts:
    """Counts of all that has passed through the hub."""

    events: int = 0
    matches: int = 0
    duplicates: int = 0
    late: int = 0
    too_far_ahead: int = 0
    dead_letters: int = 0
    warnings: int = 0

    def note(self, admitted: AdmissionResult) -> None:
        """Add the events of a batch."""
        self.events += len(admitted.events)
        self.duplicates += admitted.duplicates
        self.late += admitted.late
        self.too_far_ahead += admitted.too_far_ahead


@dataclass(slots=True)
class StepOutcome(Outcome):
    """The result of a step; its dead letters are complete, in the order of detection.

    `broken` are the subscriptions that stopped compiling, `renewed` the ids that were added,
    replaced, removed, or mended by other definitions.
    """

    broken: list[UnservedSubscription] = field(default_factory=list)
    renewed: set[str] = field(default_factory=set)

    @property
    def troubles(self) -> list[UnservedSubscription]:
        """The subscriptions that stopped in this step: those broken, then those ended."""
        return [*self.broken, *self.ended]


class StepHub:
    """Engine, subscriptions and time of a hub, for one caller at a time.

    `clock` returns the owner's time, for `ahead` and `interval`; by default it is that of the last
    `step`. If `time_needs_composites`, time passes only while there is a composite.

    Its state is `snapshot`, plain data except for the events held; `restore` loads it into a hub
    that has taken no step. A subscription with more than `match_limit` matches a second, beyond one
    for each event, is suspended; so is one that exceeds `tenant_match_limit`, which all
    subscriptions of a tenant share. 0 for no limit. The other settings are those of `Hub`.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        *,
        clock: Clock | None = None,
        idle: str | None = "1s",
        lateness: str | timedelta = "2s",
        ontology: object = None,
        infer: object = None,
        remember: int = 100_000,
        queue_limit: int = QUEUE_LIMIT,
        interval: str | None = None,
        ahead: str | None = DEFAULT_AHEAD,
        match_limit: int = 0,
        tenant_match_limit: int = 0,
        time_needs_composites: bool = False,
    ) -> None:
        self.counts = Counts()
        self.lateness = parse_duration(lateness)
        """The allowed lateness, in microseconds."""
        self._time: Instant = 0
        clock = clock or self._step_time
        self._ahead = FutureLimit(ahead, clock)
        is_stamped = parse_event_end_rule(interval) is EventEndRule.RECEPTION
        self._reception = clock if is_stamped else None
        self._time_needs_composites = time_needs_composites
        self._stream_clock = StreamClock(
            self.lateness, idle=None if idle is None else parse_duration(idle)
        )
        self._engine = Engine(queue_limit=queue_limit, contains_faults=True)
        self._registry = SubscriptionRegistry(
            self._engine, catalog, ontology, infer, lambda: self.watermark
        )
        limit = MatchLimit(match_limit, tenant_match_limit)
        self._guard = GuardedEngine(self._engine, self._registry.plans, limit=limit)
        self._sequencer = LiveSequencer(
            self._guard, self._stream_clock, self._ahead, queue_limit=queue_limit, remember=remember
        )
        self._ended: set[str] = set()
        self._new_subscriptions = 0

    def _step_time(self) -> Instant:
        return self._time

    def __contains__(self, id: object) -> bool:
        return id in self._registry

    def step(
        self, now: Instant, version: int, events: Iterable[Event | bytes | str] = ()
    ) -> StepOutcome:
        """Take one step: set the time, follow the catalog to `version`, and publish the events."""
        outcome = StepOutcome()
        self._time = max(now, self._time)
        self._guard.limit.begin(self._time)
        given = tuple(events)
        if version != self.version:
            self._note_change(self._registry.follow(version), outcome)
        if given:
            self._stream_clock.note_events(self._time)
            self._serve(given, outcome)
        else:
            self._stream_clock.run_on(self._time)
            self._pass_time(outcome)
        return self._count(outcome)

    def resume(self, now: Instant) -> None:
        """Set the time after a downtime; no idle time is counted for it, since no event could
        arrive.
        """
        self._time = max(now, self._time)
        self._stream_clock.note_events(self._time)

    def begin(self, now: Instant) -> StepOutcome:
        """Start time before the first event, for an owner whose clock runs by itself."""
        outcome = StepOutcome()
        self._settle(self._sequencer.begin(now), outcome)
        return self._count(outcome)

    def note_time(self, now: Instant) -> None:
        """Advance the watermark; the next `publish` or `advance` serves what is due."""
        self._stream_clock.advance_to(now)

    def publish(self, given: Sequence[Given]) -> StepOutcome:
        """Match events, then serve the events and timers that the watermark has passed."""
        outcome = StepOutcome()
        self._serve(given, outcome)
        return self._count(outcome)

    def advance(self, now: Instant | None = None) -> StepOutcome:
        """Serve the events and timers that the watermark has passed.

        If `now` is given, the watermark advances to it before, and so does the limit of events too
        far ahead.
        """
        outcome = StepOutcome()
        if now is not None:
            self._ahead.advance_clock(now)
            self._stream_clock.advance_to(now)
        self._pass_time(outcome)
        return self._count(outcome)

    def add(self, subscription: Subscription) -> StepOutcome:
        """Add a subscription, to the catalog if there is one.

        One that does not compile, or whose id is taken, raises and changes nothing.
        """
        return self._changed(self._registry.add(subscription))

    def define(self, *definitions: Definition) -> StepOutcome:
        """Add regions, parts and ontologies, to the catalog if there is one; a taken name raises.

        Subscriptions whose meaning changes are compiled again.
        """
        return self._changed(self._registry.define(*definitions))

    def remove(self, id: str) -> StepOutcome:
        """Remove a subscription, from the catalog if there is one; raises if the id is unknown."""
        return self._changed(self._registry.remove(id))

    def end(self, id: str) -> None:
        """End a subscription for a reason of the owner; a catalog keeps it for other hosts."""
        self._registry.drop(id)
        self._guard.forget(id)
        self._ended.add(id)

    def follow(self, version: int | None = None) -> StepOutcome:
        """Follow the catalog, if there is one, to a version; by default to the newest one."""
        return self._changed(self._registry.follow(version))

    def read_ontologies_again(self) -> StepOutcome:
        """Apply what has changed in the ontology files; one that is wrong raises and changes
        nothing.
        """
        return self._changed(self._registry.read_ontologies_again())

    def forget(self, identities: Iterable[tuple[str, str]]) -> None:
        """Stop counting the given identities as seen, so that these events are served again."""
        self._sequencer.admission.forget_seen(identities)

    def next_wake(self) -> Instant | None:
        """Return the time of the next step that is due without events; None for never."""
        return self._stream_clock.due(self.next_instant())

    def next_instant(self) -> Instant | None:
        """Return the instant that the watermark must pass for anything to happen without events."""
        return self._sequencer.next_instant()

    @property
    def version(self) -> int:
        """The version of the catalog that is served."""
        return self._registry.version

    @property
    def watermark(self) -> Instant | None:
        """The instant before which no event is expected; None before the first event."""
        return self._stream_clock.instant

    @property
    def pending_count(self) -> int:
        """The number of occurrences in state and of events in the reorder buffer; cheap."""
        return self._engine.network.buffered_count + len(self._sequencer)

    def pending(self, id: str) -> list[Pending]:
        """Return the partial matches that the parts of a subscription hold."""
        return list(self._engine.network.pending(id))

    def held_events(self, id: str) -> list[Event]:
        """Return the events in the reorder buffer that match an atom of a subscription."""
        plan = self._engine.plan_of(id)
        wanted = set() if plan is None else set(atoms_of(plan.pattern))
        return [event for event, atoms in self._sequencer.held() if not wanted.isdisjoint(atoms)]

    def view(self, ids: Iterable[str]) -> list[OperatorView]:
        """Return a view of the operators of the composite subscriptions among these."""
        return self._engine.network.view(ids)

    def plans(self) -> Mapping[str, Plan]:
        """Return the plans that are served, by subscription."""
        return self._registry.plans()

    def words_of(self, id: str) -> Ontology | None:
        """Return the ontology to render members as RDF for a subscription, or None."""
        return self._registry.words_of(id)

    def subscriptions(self) -> Mapping[str, Subscription]:
        """Return the subscriptions by id; one that does not compile now is among them."""
        return self._registry.held()

    def snapshot(self) -> State:
        """Return the whole state: events as they are, the rest as plain data."""
        names: dict[int, bytes] = {}
        return {
            "hub": VERSION,
            "times": (self._time, self._stream_clock.arrived, self._stream_clock.counted),
            "version": self.version,
            "newest": self._stream_clock.newest,
            "oldest": self._sequencer.oldest,
            "has_begun": self._sequencer.has_begun,
            "held": [
                (event, [_name(atom, names) for atom in atoms])
                for event, atoms in self._sequencer.held()
            ],
            "seen": self._sequencer.admission.seen(),
            "engine": self._engine.snapshot(),
            "ended": sorted(self._ended),
            "guard": self._guard.snapshot(),
        }

    def restore(self, state: State) -> None:
        """Load a snapshot; the catalog must still have the version of the snapshot.

        Raises if the format of the snapshot has another version.
        """
        if state.get("hub") != VERSION:
            raise StateProblem(
                f"a snapshot of version {VERSION} is expected, got {state.get('hub')!r}",
                code="SnapshotVersion",
                hint="use the release that wrote it, or begin with an empty data folder",
            )
        self._registry.follow(state["version"])
        self._ended = set(state["ended"])
        for id in self._ended:
            self._registry.drop(id)
        self._engine.restore(state["engine"])
        self._guard.restore(state["guard"])
        self._sequencer.admission.note_seen((source, id) for source, id in state["seen"])
        self._hold_again(state["held"])
        self._sequencer.oldest = state["oldest"]
        self._sequencer.has_begun = state["has_begun"]
        if state["newest"] is not None:
            self._stream_clock.advance_to(state["newest"])
        self._time, self._stream_clock.arrived, self._stream_clock.counted = state["times"]

    def _hold_again(self, held: Iterable[tuple[Event, Iterable[bytes]]]) -> None:
        given = list(held)
        atoms = self._atoms_by_name() if given else {}
        for event, names in given:
            self._sequencer.hold(event, tuple(atoms[name] for name in names if name in atoms))

    def _atoms_by_name(self) -> dict[bytes, Atom]:
        plans = filter(None, map(self._engine.plan_of, self._registry.ids()))
        composites = (plan.pattern for plan in plans if not isinstance(plan.pattern, Atom))
        atoms = {id(atom): atom for pattern in composites for atom in atoms_of(pattern)}
        return {_name(atom, {}): atom for atom in atoms.values()}

    def _serve(self, given: Sequence[Given], outcome: StepOutcome) -> None:
        if self._new_subscriptions >= MANY_SUBSCRIPTIONS:
            self._freeze_subscriptions()
        with rare_collection() if len(given) >= MANY else nullcontext():
            events = self._admit(given, outcome)
            self._settle(self._sequencer.match_admitted(events), outcome)
            self._pass_time(outcome)

    def _freeze_subscriptions(self) -> None:
        """Keep the collector from the subscriptions, unless only few of them are new."""
        if 2 * self._new_subscriptions >= len(self._registry):
            self._new_subscriptions = 0
            freeze_living()

    def _admit(self, given: Sequence[Given], outcome: StepOutcome) -> list[Event]:
        """Decode and admit what was published; return the events to serve, in canonical order.

        Dead letters are added in the order of arrival.
        """
        events, letters = self._decode(given)
        admitted = self._sequencer.admit(events)
        self.counts.note(admitted)
        letters += admitted.letters
        if letters:
            letters.sort(key=lambda each: each[0])
            outcome.letters += (letter for _, letter in letters)
        return admitted.events

    def _decode(self, given: Sequence[Given]) -> tuple[list[Event], list[tuple[int, DeadLetter]]]:
        """Return the events, and a dead letter for each input that is not one.

        Each dead letter has the number of events that come before it.
        """
        letters: list[tuple[int, DeadLetter]] = []
        scanned = scan_events(_texts_of(given))
        if self._reception is None and None not in scanned:
            return cast("list[Event]", scanned), letters
        events: list[Event] = []
        for each, known in zip(given, scanned, strict=True):
            try:
                found = _events(each) if known is None else [known]
                if self._reception is not None:
                    found = [stamp_reception(event, self._reception()) for event in found]
                events += found
            except Problem as problem:
                shown = each if isinstance(each, bytes | str) else shown_object(each)
                letters.append((len(events), malformed_input(problem, shown)))
            except Exception as error:
                letters.append((len(events), unreadable(error, each)))
        return events, letters

    def _pass_time(self, outcome: StepOutcome) -> None:
        """Serve the composites with the events and timers that the watermark has passed."""
        if self._registry.composites or not self._time_needs_composites:
            self._settle(self._sequencer.advance(), outcome)

    def _settle(self, found: Outcome, outcome: StepOutcome) -> None:
        """End the subscriptions that an outcome ended, and add it to that of the step."""
        if found.ended:
            for key, _ in found.ended:
                self.end(key)
            found.settle()
        outcome.add(found)

    def _count(self, outcome: StepOutcome) -> StepOutcome:
        self.counts.matches += len(outcome.matches)
        self.counts.dead_letters += len(outcome.letters)
        self.counts.warnings += len(outcome.warned)
        return outcome

    def _changed(self, change: RegistryChange) -> StepOutcome:
        outcome = StepOutcome()
        self._note_change(change, outcome)
        return self._count(outcome)

    def _note_change(self, change: RegistryChange, outcome: StepOutcome) -> None:
        """Forget the faults of what was added or replaced; add a dead letter for what is broken."""
        self._new_subscriptions += len(change.added)
        for id in change.added:
            self._guard.forget(id)
            self._ended.discard(id)
        outcome.renewed |= change.renewed
        for subscription, problem in change.broken:
            letter = subscription_broken(subscription.id, problem, subscription.expression)
            outcome.letters.append(letter)
            outcome.broken.append(UnservedSubscription(subscription.id, letter))


def _texts_of(given: Sequence[Given]) -> Sequence[bytes | str]:
    """Return what is given as texts; empty bytes in place of anything else."""
    if set(map(type, given)) <= {bytes, str}:
        return cast("Sequence[bytes | str]", given)
    return [each if isinstance(each, bytes | str) else b"" for each in given]


def _events(given: Given) -> list[Event]:
    if isinstance(given, Event):
        return [given]
    return decode_all(given) if isinstance(given, bytes | str) else events_of_mapping(given)


def _name(atom: Atom, known: dict[int, bytes]) -> bytes:
    """Return a hash of the content of an atom, equal in every process."""
    name = known.get(id(atom))
    if name is None:
        text = plan_to_json(Plan(atom)).encode()
        name = known[id(atom)] = blake2b(text, digest_size=16).digest()
    return name
