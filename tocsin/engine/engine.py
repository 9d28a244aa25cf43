"""The engine over plans: atoms are matched batch by batch, composites are detected event by event.
Told the time only.

Equal atoms are one, whether a subscription is the atom or a composite holds it: each is matched
once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.batch import EventBatch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.engine.detection.network import QUEUE_LIMIT, Found, Network
from tocsin.engine.detection.node import Pending, State
from tocsin.engine.index.hits import Hits
from tocsin.engine.index.work import Work
from tocsin.engine.xml.nested import asking
from tocsin.errors import EventProblem, StateProblem
from tocsin.events.event import Event
from tocsin.events.match import Match, match_of_event
from tocsin.plan.atoms import Atom, Condition
from tocsin.plan.composites import MOST_EMPTY_WINDOWS, Forward, Plan
from tocsin.plan.construction import Construct
from tocsin.plan.match_template import match_of_atom, matches_of
from tocsin.plan.past_windows import past_window
from tocsin.plan.row_functions import GivenUp
from tocsin.values.time import Duration, Instant

_ATOM_MARK = "\0"
"""First character of the matcher's keys for atoms of composites; no subscription id starts with it.
"""


@dataclass(frozen=True, slots=True)
class Untold:
    """A ring whose output is too much to build, or is none: the subscription, its events,
    and why.
    """

    subscription: str
    events: tuple[Event, ...]
    why: GivenUp


class Matching(Enum):
    """How atoms are matched: with indexes, or by the scan that needs none."""

    INDEXED = "indexed"
    SCAN = "scan"


@dataclass(slots=True)
class Relevant:
    """An event that composites want to see, by its index in the batch, and the atoms that it is an
    occurrence of.
    """

    index: int
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """What a batch gives: subscription keys that ring at once by event index, and what is to be
    detected in order.
    """

    rings: list[tuple[int, str]]
    relevant: list[Relevant]


class Engine:
    """Plans by key. A failed `add` or `remove` changes nothing."""

    __slots__ = (
        "_atom_keys",
        "_atoms",
        "_composites",
        "_constructing",
        "_matcher",
        "_network",
        "_numbers",
        "_suspended",
        "_targets",
        "_telling",
        "_untold",
    )

    def __init__(
        self, matching: Matching | str = Matching.INDEXED, queue_limit: int = QUEUE_LIMIT
    ) -> None:
        self._matcher = AtomMatchers(
            Matcher if Matching(matching) is Matching.INDEXED else ScanMatcher
        )
        self._network = Network(self._matcher.rows, queue_limit)
        self._suspended: list[str] = []
        self._untold: list[Untold] = []
        self._telling: dict[str, Plan] = {}
        self._composites: set[str] = set()
        self._constructing: set[str] = set()
        self._atoms: dict[str, Atom] = {}
        self._atom_keys: dict[Atom, str] = {}
        self._targets: dict[int, str | Atom] = {}
        self._numbers = 0

    def __len__(self) -> int:
        return len(self._matcher) - len(self._atoms) + len(self._composites)

    def __contains__(self, key: object) -> bool:
        return key in self._composites or (key in self._matcher and key not in self._atoms)

    @property
    def work(self) -> Work:
        """What matching has cost so far."""
        return self._matcher.work

    @property
    def has_composites(self) -> bool:
        """Whether any subscription is about several events, so that order and time matter."""
        return bool(self._composites)

    def add(self, key: str, plan: Plan) -> None:
        """Adds a subscription."""
        if key in self:
            raise StateProblem(
                f"the subscription {key!r} is already there",
                code="DuplicateSubscriptionError",
                token=key,
                hint="remove it first, or choose another id",
            )
        if isinstance(plan.pattern, Atom):
            self._matcher.add(key, plan.pattern)
        else:
            self._add_composite(key, plan)
        if not isinstance(plan.pattern, Condition) or not isinstance(plan.output, Forward):
            self._telling[key] = plan
        if isinstance(plan.output, Construct):
            self._constructing.add(key)

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

    def remove(self, key: str) -> None:
        """Removes a subscription and all that only it held."""
        self._targets.clear()  # slots are used again
        self._telling.pop(key, None)
        self._constructing.discard(key)
        if key not in self._composites:
            self._matcher.remove(key)
            return
        for atom in self._network.remove(key):
            self._leave(atom)
        self._composites.remove(key)

    def match(self, batch: EventBatch) -> Hits:
        """Which atomic subscriptions ring for which events of the batch; for an engine without
        composites.
        """
        return self._matcher.match(batch)

    def match_all(self, batch: EventBatch) -> Matched:
        """What rings at once, and what composites are to be told of, by event and in the order of
        subscribing.
        """
        hits = self._matcher.match(batch)
        rings: list[tuple[int, str]] = []
        wanted: dict[int, list[Atom]] = {}
        targets = self._targets
        for index, slot in zip(hits.events.tolist(), hits.slots.tolist(), strict=True):
            target = targets.get(slot) or self._target(slot)
            if isinstance(target, str):
                rings.append((index, target))
            elif index in wanted:
                wanted[index].append(target)
            else:
                wanted[index] = [target]
        return Matched(rings, [Relevant(index, tuple(atoms)) for index, atoms in wanted.items()])

    def undecided(self) -> list[tuple[int, str | None]]:
        """Event indexes and keys of the last batch that were too hard to decide; None for a part of
        a composite.
        """
        return [
            (index, None if key in self._atoms else key) for index, key in self._matcher.undecided
        ]

    def refused(self) -> dict[int, EventProblem]:
        """Events of the last batch, by index, that no graph or no concept can be asked about, and
        why.
        """
        return self._matcher.refused

    def warned(self) -> list[tuple[int, EventProblem]]:
        """Event indexes of the last batch and what is odd about the events; they are served all the
        same.
        """
        return self._matcher.warned

    def detect(self, event: Event, atoms: Iterable[Atom]) -> Found:
        """The next event in canonical order: what it, and the timers due before it, bring about."""
        return self._watched(self._network.event(event, atoms))

    def ring(self, key: str, event: Event) -> Match | None:
        """What an atomic subscription that rings for an event tells; None where nothing
        comes out.
        """
        plan = self._telling.get(key)
        if plan is None:
            return match_of_event(key, event)
        assert isinstance(plan.pattern, Atom)
        try:
            return match_of_atom(
                key, event, self._matcher.rows(plan.pattern, event), plan.output, asking
            )
        except GivenUp as why:
            self._give_up(key, (event,), why)
            return None

    def tells(self, key: str) -> bool:
        """Whether a ring of an atomic subscription tells more than that it happened."""
        return key in self._telling

    def constructs(self, key: str) -> bool:
        """Whether what a subscription puts out are events again."""
        return key in self._constructing

    @property
    def tells_more(self) -> bool:
        """Whether any subscription tells more than that it happened."""
        return bool(self._telling)

    def rendered(self, found: Found) -> list[Match]:
        """What composite subscriptions tell of what was detected."""
        return matches_of(found, self._telling, asking, self._give_up) if found else []

    def take_untold(self) -> list[Untold]:
        """The rings for which nothing could be built, since this was asked last."""
        untold, self._untold = self._untold, []
        return untold

    def _give_up(self, key: str, events: Sequence[Event], why: GivenUp) -> None:
        self._untold.append(Untold(key, tuple(events), why))

    def advance_to(self, now: Instant | None, leap: Instant | None = None) -> Found:
        """No event that ends at `now` or before is missing: what its timers bring about; None for
        the end of time.

        `leap` says up to when none will come either: then many empty windows that come again are
        told as one.
        """
        return self._watched(
            self._network.advance_to(now, None if leap is None else self._quiet_until(leap))
        )

    def pass_over(self, pause: tuple[Instant, Instant]) -> Found:
        """One event ends when the pause begins, the next when it ends, and none in between: the
        clock leaps.
        """
        before, after = pause
        return self.advance_to(before - 1) + self.advance_to(after - 1, after - 1)

    @property
    def shortest_pause(self) -> Duration | None:
        """Pauses that are longer may be leapt over; None where nothing comes again."""
        length = self._network.shortest_window
        return None if length is None else MOST_EMPTY_WINDOWS * length

    def _quiet_until(self, leap: Instant) -> Instant:
        """Before which nothing happens: where events are constructed, what is due may bring one."""
        if not self._constructing:
            return leap
        due = self._network.next_deadline()
        return leap if due is None else min(leap, due - 1)

    def take_suspended(self) -> list[str]:
        """The composites that were removed because too much waited for them, since this was asked
        last.
        """
        suspended, self._suspended = self._suspended, []
        return suspended

    def _watched(self, found: Found) -> Found:
        """Removes the subscriptions for which too much waits: the others are served on, nothing is
        trimmed.
        """
        if self._network.given_up:
            for key, occurrence, why in self._network.take_given_up():
                self._give_up(key, occurrence.members, why)
                if self._network.is_hopeless(key):
                    self.remove(key)
                    self._suspended.append(key)
        if self._network.overfull:
            for key in self._network.take_overfull():
                self.remove(key)
                self._suspended.append(key)
        return [each for each in found if each[0] in self._composites] if self._suspended else found

    def contain_faults(self) -> None:
        """From now on a composite that raises is told by `take_faults`, and the others are served
        on.
        """
        self._network.contains_faults = True

    def take_faults(self) -> list[tuple[str, Exception]]:
        """The composites that raised while they were served, and what, since this was asked last.

        The others were served all the same.
        """
        return self._network.take_faults() if self._network.faults else []

    def abandon_step(self) -> None:
        """After `detect` or `advance_to` raised: what was still to be served in it is dropped."""
        self._network.abandon_step()

    def plan_of(self, key: str) -> Plan | None:
        """The plan of a subscription that tells more than that it happened; of others nothing is
        kept.
        """
        return self._telling.get(key)

    def next_timer(self) -> Instant | None:
        """The soonest instant at which time alone may bring something about."""
        return self._network.next_timer()

    def begin_at(self, now: Instant) -> list[str]:
        """The first event of all, whether it concerns a composite or not, ends at `now`.

        Gives the composites that are removed because a window of theirs was over before, when
        nobody watched.
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

    def forget_before(self, now: Instant) -> None:
        """Drops all state that no event which ends at `now` or later can complete."""
        self._network.forget_before(now)

    @property
    def now(self) -> Instant:
        """How far time has come for composites."""
        return self._network.now

    @property
    def pending_count(self) -> int:
        """How many occurrences wait for others, those of shared parts once."""
        return self._network.pending_count

    def pending(self, key: str) -> Iterator[Pending]:
        """What waits for a composite subscription."""
        return self._network.pending(key)

    def snapshot(self) -> State:
        """The state of all composites as plain, versioned data."""
        return self._network.snapshot()

    def restore(self, state: State) -> None:
        """Takes over a snapshot; the subscriptions must have been added before."""
        self._network.restore(state)

    def key_of(self, slot: int) -> str:
        """The key of a slot."""
        return self._matcher.key_of(slot)

    def keys_of(self, slots: Iterable[int]) -> list[str]:
        """The keys of slots, one by one."""
        return self._matcher.keys_of(slots)

    def _target(self, slot: int) -> str | Atom:
        """What a hit of the slot means: a subscription rings, or an atom of composites occurs.
        Found once per slot.
        """
        key = self._matcher.key_of(slot)
        target = self._targets[slot] = self._atoms.get(key, key)
        return target

    def _follow(self, atom: Atom) -> None:
        self._numbers += 1
        key = f"{_ATOM_MARK}{self._numbers}"
        self._matcher.add(key, atom)
        self._atom_keys[atom] = key
        self._atoms[key] = atom

    def _leave(self, atom: Atom) -> None:
        key = self._atom_keys.pop(atom)
        del self._atoms[key]
        self._matcher.remove(key)
