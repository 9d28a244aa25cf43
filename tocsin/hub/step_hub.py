"""A Hub with a time and a state controlled by its owner: it can be stopped at any step and resumed.

The owner calls it step by step, each with the time and the version of the catalog. Equal steps give
equal matches and equal state, in any process. So a snapshot and the steps since are all that must
be stored.

Events advance time. If none arrives for the `idle` time, stream time continues from its last
instant at the pace of the owner's clock, as on Spark: a replay of last year does not jump to this
year.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from tocsin.catalog import Catalog, Subscription
from tocsin.engine.detection.base import Pending, State
from tocsin.engine.detection.inspection import OperatorView
from tocsin.errors import StateProblem
from tocsin.events.dead_letter import DeadLetter, subscription_broken
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.hub.hub import Clock, Hub
from tocsin.hub.subscription_registry import Broken
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.wire.wire import plan_to_json
from tocsin.values.time import Instant, parse_duration

VERSION = 1


@dataclass(frozen=True, slots=True)
class UnservedSubscription:
    """A subscription of the catalog that is not served, and the dead letter with the reason."""

    subscription: str
    letter: DeadLetter


@dataclass(slots=True)
class StepOutcome:
    """The result of a step. `renewed` are the subscriptions that were added, changed or removed."""

    matches: list[Match] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    troubles: list[UnservedSubscription] = field(default_factory=list)
    renewed: set[str] = field(default_factory=set)


class StepHub(Hub):
    """A hub without a thread or a clock; it acts only in its steps.

    Its state is `snapshot`, plain data except for the events held; `restore` loads it into a hub
    that has taken no step. A subscription with more than `match_limit` matches a second, beyond one
    for each event, is suspended; so is one that exceeds `tenant_match_limit`, which all
    subscriptions of a tenant share. 0 for no limit.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        idle: str | None = "1s",
        match_limit: int = 0,
        tenant_match_limit: int = 0,
        **settings: Any,
    ) -> None:
        self._idle = None if idle is None else parse_duration(idle)
        self._time: Instant = 0
        self._arrived: Instant = 0
        self._counted: Instant = 0
        self._outcome = StepOutcome()
        self._broken: set[str] = set()
        self._over: set[str] = set()
        super().__init__(clock=self._given_time, keep_dead_letters=1, **settings)
        self._guard.limit.subscriptions.rate = match_limit
        self._guard.limit.tenants.rate = tenant_match_limit
        self._catalog = catalog

    def _given_time(self) -> Instant:
        return self._time

    def _start_the_clock(self, wall: Clock) -> None:
        """Do nothing: time begins with the first step."""

    def _look_at_the_clock(self) -> None:
        """Do nothing: the owner advances the time."""

    def step(
        self, now: Instant, version: int, events: Iterable[Event | bytes | str] = ()
    ) -> StepOutcome:
        """Take one step: set the time, follow the catalog to `version`, and publish the events."""
        self._time = max(now, self._time)
        self._guard.limit.begin(self._time)
        given = tuple(events)
        with self._locked():
            if version != self._version:
                self._renew(version)
        if given:
            self._arrived = self._counted = self._time
            self.publish(*given)
        else:
            self._run_on()
            self._tick()
        outcome, self._outcome = self._outcome, StepOutcome()
        return outcome

    def resume(self, now: Instant) -> None:
        """Set the time after a downtime; no idle time is counted for it, since no event could
        arrive.
        """
        self._time = max(now, self._time)
        self._arrived = self._counted = self._time

    def forget(self, identities: Iterable[tuple[str, str]]) -> None:
        """Stop counting the given identities as seen, so that these events are served again."""
        self._sequencer.admission.forget_seen(identities)

    def _renew(self, version: int) -> None:
        before = dict(self._roster.held())
        self._follow_catalog(version)
        after = self._roster.held()
        self._over -= after.keys()
        self._outcome.renewed |= {
            id for id in before.keys() | after.keys() if before.get(id) is not after.get(id)
        }
        mended = {id for id in self._broken if id in self._engine}
        self._outcome.renewed |= mended
        self._broken -= mended

    def _run_on(self) -> None:
        """Advance the watermark by the time that has passed, if the stream is idle."""
        newest = self._watermark.newest
        if self._idle is None or newest is None or self._arrived + self._idle > self._time:
            return
        self._watermark.advance_to(newest + self._time - self._counted)
        self._counted = self._time

    def next_wake(self) -> Instant | None:
        """Return the time of the next step that is due without events; None for never."""
        mark = self._watermark.instant
        wanted = self._sequencer.next_instant()
        if self._idle is None or mark is None or wanted is None:
            return None
        missing = max(0, wanted + 1 - mark)
        return max(self._arrived + self._idle, self._counted + missing)

    @property
    def version(self) -> int:
        """The version of the catalog that is served."""
        return self._version

    @property
    def watermark(self) -> Instant | None:
        """The instant before which no event is expected; None before the first event."""
        return self._watermark.instant

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
        return self._roster.plans()

    def words_of(self, id: str) -> Ontology | None:
        """Return the ontology to render members as RDF for a subscription, or None."""
        return self._roster.words_of(id)

    def snapshot(self) -> State:
        """Return the whole state: events as they are, the rest as plain data."""
        names: dict[int, bytes] = {}
        return {
            "hub": VERSION,
            "times": (self._time, self._arrived, self._counted),
            "version": self._version,
            "newest": self._watermark.newest,
            "oldest": self._sequencer.oldest,
            "has_begun": self._sequencer.has_begun,
            "held": [
                (event, [_name(atom, names) for atom in atoms])
                for event, atoms in self._sequencer.held()
            ],
            "seen": self._sequencer.admission.seen(),
            "engine": self._engine.snapshot(),
            "ended": sorted(self._over),
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
        with self._locked():
            self._follow_catalog(state["version"])
            self._over = set(state["ended"])
            for id in self._over:
                self._roster.remove(id)
        self._engine.restore(state["engine"])
        self._guard.restore(state["guard"])
        self._sequencer.admission.note_seen((source, id) for source, id in state["seen"])
        self._hold_again(state["held"])
        self._sequencer.oldest = state["oldest"]
        self._sequencer.has_begun = state["has_begun"]
        if state["newest"] is not None:
            self._watermark.advance_to(state["newest"])
        self._time, self._arrived, self._counted = state["times"]
        self._outcome = StepOutcome()

    def _hold_again(self, held: Iterable[tuple[Event, Iterable[bytes]]]) -> None:
        given = list(held)
        atoms = self._atoms_by_name() if given else {}
        for event, names in given:
            self._sequencer.hold(event, tuple(atoms[name] for name in names if name in atoms))

    def _atoms_by_name(self) -> dict[bytes, Atom]:
        plans = filter(None, map(self._engine.plan_of, self._roster.ids()))
        composites = (plan.pattern for plan in plans if not isinstance(plan.pattern, Atom))
        atoms = {id(atom): atom for pattern in composites for atom in atoms_of(pattern)}
        return {_name(atom, {}): atom for atom in atoms.values()}

    def _dispatch_matches(self, found: list[Match]) -> None:
        self.counts.matches += len(found)
        self._outcome.matches += found

    def _add_dead_letter(self, letter: DeadLetter) -> None:
        self.counts.dead_letters += 1
        self._outcome.letters.append(letter)

    def _end(self, key: str, letter: DeadLetter) -> None:
        told = replace(letter, subscription=key)
        self._outcome.troubles.append(UnservedSubscription(key, told))
        self._over.add(key)
        super()._end(key, told)

    def _report_broken(self, found: Broken) -> None:
        for subscription, problem in found:
            letter = subscription_broken(subscription.id, problem, subscription.expression)
            told = replace(letter, subscription=subscription.id)
            self._add_dead_letter(told)
            self._outcome.troubles.append(UnservedSubscription(subscription.id, told))
            self._broken.add(subscription.id)

    def subscriptions(self) -> Mapping[str, Subscription]:
        """Return the subscriptions by id; one that does not compile now is among them."""
        return self._roster.held()


def _name(atom: Atom, known: dict[int, bytes]) -> bytes:
    """Return a hash of the content of an atom, equal in every process."""
    name = known.get(id(atom))
    if name is None:
        text = plan_to_json(Plan(atom)).encode()
        name = known[id(atom)] = blake2b(text, digest_size=16).digest()
    return name
