"""The Hub: publish and subscribe in process. One bad event, subscription or subscriber never harms the others.

It may be used from several threads. Receivers are called by the thread that published; where the clock runs by itself,
they are called one at a time and in the order of detection, by that thread or the clock's. No lock is held meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import (
    Catalog,
    Definition,
    Subscription,
    ontologies,
    open_catalog,
    require_agreement,
)
from tocsin.engine.batch import Batch
from tocsin.engine.detection.network import QUEUE_LIMIT, Found
from tocsin.engine.engine import Engine
from tocsin.errors import MeaningProblem, Problem, StateProblem
from tocsin.events.codecs.epcis.inside import decode_all, events_of_mapping
from tocsin.events.constructed import constructed_events
from tocsin.events.dead_letter import (
    DeadLetter,
    broken,
    crowded,
    late,
    malformed,
    refused,
    shown_object,
    suspended,
    too_far_ahead,
    too_many_hops,
    undecided,
    untold,
    window_over,
)
from tocsin.events.event import Event
from tocsin.events.match import Match, once
from tocsin.events.reception import Ends, ends_named, received
from tocsin.events.warning import EventWarning
from tocsin.hosts.ahead import DEFAULT_AHEAD, Ahead
from tocsin.hosts.local.alarm import Alarm, wall_clock
from tocsin.hosts.local.roster import Broken, Roster
from tocsin.hosts.ordering import ReorderBuffer, Watermark
from tocsin.plan.atoms import Atom
from tocsin.values.time import Instant, parse_duration, parse_instant

Receiver = Callable[[Match], object]
Clock = Callable[[], Instant]
"""Says what time it is."""


@dataclass(frozen=True, slots=True)
class Handle:
    """A live subscription: its id, and the way to end it."""

    id: str
    hub: Hub

    def cancel(self) -> None:
        """Ends the subscription; it rings no more from the next event on."""
        self.hub.unsubscribe(self.id)


@dataclass(slots=True)
class Counts:
    """What has passed through the hub so far."""

    events: int = 0
    matches: int = 0
    duplicates: int = 0
    late: int = 0
    too_far_ahead: int = 0
    dead_letters: int = 0
    warnings: int = 0


class Hub:
    """Subscriptions and events meet here; matches go to the receivers at once.

    Duplicates are recognised among the last `remember` events. The newest `keep_dead_letters` dead letters are kept in
    `dead_letters`, and as many warnings about events that were served in `warnings`. With a `catalog` (path, URL or
    Catalog) subscriptions are shared with other hosts; it must be there. An `ontology` is the path of a file, or
    several, and `infer` lists what is to be concluded from it. A composite for which more than `queue_limit`
    occurrences wait in one place is suspended and its subscriber told; the others are served on.

    `clock` says what moves time: "events" (or None), the newest event and `advance_to` alone, so that a run can be
    repeated; "system", the wall clock as well, so that absences ring although nothing more comes. A hub whose clock
    runs is to be closed, by `close` or by `with`.

    `interval` says when an event ends that has no endtime: "start" (or None), when it starts; "reception", when it was
    received, which is stamped on events that do not say.

    `ahead` says how far beyond the clock an event may end: the wall clock, or the time that
    `advance_to` told if that is later. One beyond is a dead letter `TooFarAhead` and moves no time.
    None, for replays, allows every time.
    """

    def __init__(
        self,
        *,
        lateness: str = "2s",
        catalog: Catalog | str | None = None,
        ontology: object = None,
        infer: object = None,
        remember: int = 100_000,
        keep_dead_letters: int = 1_000,
        queue_limit: int = QUEUE_LIMIT,
        clock: Clock | str | None = None,
        interval: str | None = None,
        ahead: str | None = DEFAULT_AHEAD,
    ) -> None:
        self._wall = _wall_clock(clock)
        self._ahead = Ahead(ahead, self._wall or wall_clock)
        self._reception = (self._wall or wall_clock) if ends_named(interval) is Ends.RECEPTION else None
        self._lock = threading.RLock()
        self._outbox: deque[Match] = deque()
        self._turn = threading.RLock()
        self._alarm: Alarm | None = None
        self._is_closed = False
        self.counts = Counts()
        self.dead_letters: deque[DeadLetter] = deque(maxlen=keep_dead_letters)
        self.warnings: deque[EventWarning] = deque(maxlen=keep_dead_letters)
        self._watermark = watermark = Watermark(parse_duration(lateness))
        self._buffer: ReorderBuffer[tuple[Atom, ...]] = ReorderBuffer()
        self._late: set[tuple[str, str]] = set()
        self._oldest: Instant | None = None
        self._has_begun = False
        self._queue_limit, self._is_crowded = queue_limit, False
        self._engine = Engine(queue_limit=queue_limit)
        self._receivers: dict[str, Receiver | None] = {}
        self._told: dict[str, Callable[[DeadLetter], object]] = {}
        self._ontology, self._infer = ontology, infer
        self._own = {each.name: each for each in ontologies(ontology, infer)}
        require_agreement((), self._own.values())
        self._roster = Roster(self._engine, self._own, lambda: watermark.instant)
        self._seen: dict[tuple[str, str], None] = {}
        self._remember = remember
        self._named = 0
        self._catalog = open_catalog(catalog) if isinstance(catalog, str) else catalog
        self._version = 0
        self._look_at_the_clock()
        self._follow_catalog()
        if self._wall is not None:
            self._alarm = Alarm(self._tick, self._wall)
            self._begin_at(self._wall() - self._watermark.lateness)
            self._tick()

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops the clock, if one runs; what waits is not told. A closed hub takes nothing more."""
        with self._lock:
            self._is_closed = True
        if self._alarm is not None:
            self._alarm.close()

    def subscribe(
        self,
        expression: str,
        *,
        language: str = "selector",
        to: Receiver | None = None,
        id: str | None = None,
        problems_to: Callable[[DeadLetter], object] | None = None,
        **settings: Any,
    ) -> Handle:
        """Adds a subscription; one that does not compile, or whose id is taken, raises and changes nothing.

        So does one with a window of absolute time that is over by the time that the hub knows of. `problems_to` hears
        if it is suspended later, because too much waits for it, breaks because a definition that it uses has changed,
        or ends because its window proves to be over when time begins.
        """
        with self._lock:
            self._catch_up()
            subscription = Subscription.from_json(
                {"id": id or self._new_name(), "language": language, "expression": expression, **settings}
            )
            if subscription.id in self._receivers:
                raise StateProblem(
                    f"subscription {subscription.id!r} is there already", code="DuplicateSubscriptionError"
                )
            if self._catalog is not None:
                self._roster.require_good(subscription)
                self._catalog.add(subscription)
                self._follow_catalog()
            else:
                self._roster.add(subscription)
            self._receivers[subscription.id] = to
            if problems_to is not None:
                self._told[subscription.id] = problems_to
            self._set_the_alarm()
        self._delivered([])
        return Handle(subscription.id, self)

    def define(self, *definitions: Definition) -> None:
        """Regions, parts and ontologies that subscriptions may use from now on; a name can be defined once.

        An ontology that contradicts another is refused. Subscriptions that mean something else now are read again.
        """
        with self._lock:
            self._catch_up()
            known = self._roster.definitions
            for definition in definitions:
                if definition.name in known:
                    raise StateProblem(
                        f"{definition.name!r} is defined already",
                        code="DuplicateSubscriptionError",
                        token=definition.name,
                    )
            require_agreement(known.values(), definitions)
            if self._catalog is not None:
                self._catalog.add(*definitions)
                self._follow_catalog()
            else:
                self._own |= {definition.name: definition for definition in definitions}
                self._tell_broken(self._roster.change(self._own))
            self._set_the_alarm()
        self._delivered([])

    def unsubscribe(self, id: str) -> None:
        """Removes a subscription; raises where it is not there."""
        with self._lock:
            self._catch_up()
            if id not in self._receivers:
                raise StateProblem(f"there is no subscription {id!r}", code="UnknownSubscriptionError", token=id)
            if self._catalog is not None:
                self._catalog.remove(id)
                self._follow_catalog()
            else:
                self._roster.remove(id)
            self._receivers.pop(id, None)
            self._told.pop(id, None)
            self._set_the_alarm()
        self._delivered([])

    def publish(self, *events: Event | Mapping[str, Any] | bytes | str) -> list[Match]:
        """Matches events, calls the receivers and returns the matches.

        Atomic subscriptions ring at once, composites when the watermark has passed the events they are made of.
        """
        with self._lock:
            self._look_at_the_clock()
            accepted = sorted(self._accepted(events), key=lambda event: event.order)
            found: list[Match] = []
            while accepted:
                rung = self._rung(accepted)
                found += rung
                accepted = self._built(rung)
            self._late.clear()
            found += self._detected() + self._relieved()
            self._put_out(found)
            self._set_the_alarm()
        return self._delivered(found)

    def _rung(self, accepted: list[Event]) -> list[Match]:
        """What atomic subscriptions make of events; what composites want of them waits for the watermark."""
        matched = self._engine.match_all(Batch(accepted))
        for index, problem in self._engine.refused().items():
            self._bury(refused(accepted[index], problem))
        for index, key in self._engine.undecided():
            self._bury(undecided(accepted[index], key))
        self._note_warnings(accepted)
        for each in matched.relevant:
            event = accepted[each.index]
            if event.identity not in self._late and not self._ahead.refuses(event):
                self._buffer.add(event, each.atoms)
        rings = [self._engine.ring(key, accepted[index]) for index, key in matched.rings]
        self._bury_untold()
        return [match for match in rings if match is not None]

    def _built(self, found: Iterable[Match]) -> list[Event]:
        """The events that matches construct; past the limit of hops they are dead letters."""
        built: list[Event] = []
        for match in found:
            if self._engine.constructs(match.subscription):
                events = constructed_events(match)
                built += events
                if match.outputs and not events:
                    self._bury(too_many_hops(match.subscription, match.id))
        return built

    def advance_to(self, now: str) -> list[Match]:
        """Tells the hub the time; what ends more than the lateness before it is late from now on. Timers may ring."""
        instant = parse_instant(now)
        with self._lock:
            self._look_at_the_clock()
            self._ahead.hear(instant)
            self._watermark.advance_to(instant)
            found = self._detected()
            self._put_out(found)
            self._set_the_alarm()
        return self._delivered(found)

    def _tick(self) -> None:
        """The wall clock has moved on."""
        with self._lock:
            if self._is_closed:
                return
            self._look_at_the_clock()
            self._put_out(self._detected())
            self._set_the_alarm()
        self._delivered([])

    def _look_at_the_clock(self) -> None:
        """Before anything is done; a closed hub does nothing."""
        if self._is_closed:
            raise StateProblem("the hub is closed", code="HubClosed", hint="make a new one")
        if self._wall is not None:
            self._watermark.advance_to(self._wall())

    def _catch_up(self) -> None:
        """Before subscriptions change: where the clock runs, they change now and not when it last rang."""
        self._look_at_the_clock()
        if self._wall is not None:
            self._put_out(self._detected())

    def _set_the_alarm(self) -> None:
        """After something was done: for what waits now."""
        if self._alarm is not None:
            self._alarm.set(self._next_wake())

    def _next_wake(self) -> Instant | None:
        """When the watermark of the wall clock has passed the next instant at which something is to be done."""
        wanted = (self._engine.next_timer(), self._buffer.first())
        soonest = min((instant for instant in wanted if instant is not None), default=None)
        return None if soonest is None else soonest + self._watermark.lateness + 1

    def _detected(self) -> list[Match]:
        """What composites make of the events and timers that the watermark has passed."""
        mark = self._watermark.instant
        if mark is None or (self._oldest is not None and mark <= self._oldest):
            return []
        if not self._engine.has_composites and self._wall is None:
            return []  # where the clock runs, time passes for those who come later, too
        if not self._has_begun:
            self._begin_at(mark if self._oldest is None else self._oldest)
        found: list[Match] = []
        for event, atoms in self._buffer.release(mark):
            if event.interval is not None:
                found += self._timed(event.interval.end - 1)
            found += self._cascaded(self._engine.detect(event, atoms))
        found += self._timed(mark - 1)
        self._engine.forget_before(mark)
        for key in self._engine.take_suspended():
            self._end(key, suspended(key))
        return found

    def _relieved(self) -> list[Match]:
        """Where more events wait for the watermark than may, it moves on to the oldest of them; told once."""
        end = self._buffer.overdue(self._queue_limit)
        if end is None:
            self._is_crowded = self._is_crowded and len(self._buffer) > self._queue_limit // 2
            return []
        if not self._is_crowded:
            self._is_crowded = True
            self._bury(crowded(self._queue_limit))
        self._watermark.advance_to(end + self._watermark.lateness + 1)
        return self._detected()

    def _begin_at(self, now: Instant) -> None:
        """Time begins for composites; those whose windows are over by then are told."""
        for key in self._engine.begin_at(now):
            self._end(key, window_over(key))
        self._has_begun, self._oldest = True, None

    def _timed(self, now: Instant) -> list[Match]:
        """What the timers up to `now` bring about, one instant after the other."""
        found: list[Match] = []
        while (due := self._engine.next_timer()) is not None and due <= now:
            found += self._cascaded(self._engine.advance_to(due, now))
        return found + self._cascaded(self._engine.advance_to(now, now))

    def _cascaded(self, detected: Found) -> list[Match]:
        """What was detected, and what comes of the events that it constructs: they happen at once, one by one."""
        found = list(once(self._engine.rendered(detected)))
        waiting = deque(self._built(found))
        while waiting:
            event = waiting.popleft()
            matched = self._engine.match_all(Batch([event]))
            for _, key in self._engine.undecided():
                self._bury(undecided(event, key))
            self._note_warnings([event])
            rings = (self._engine.ring(key, event) for _, key in matched.rings)
            further = [match for match in rings if match is not None]
            for each in matched.relevant:
                further += once(self._engine.rendered(self._engine.detect(event, each.atoms)))
            found += further
            waiting += self._built(further)
        self._bury_untold()
        return found

    def _bury_untold(self) -> None:
        """Dead letters of the rings for which nothing could be built."""
        for each in self._engine.take_untold():
            self._bury(untold(each.events, each.subscription, each.why.code, each.why.reason))

    def _put_out(self, found: list[Match]) -> None:
        self.counts.matches += len(found)
        if self._alarm is not None:
            self._outbox += found

    def _delivered(self, found: list[Match]) -> list[Match]:
        """Calls the receivers. Where a clock runs, whoever is at it also calls those of what others find meanwhile."""
        if self._alarm is None:
            for match in found:
                self._deliver(match)
            return found
        while self._outbox and self._turn.acquire(blocking=False):
            try:
                while self._outbox:
                    self._deliver(self._outbox.popleft())
            finally:
                self._turn.release()
        return found

    def refresh(self) -> None:
        """Takes over what others have changed since: in the catalog, and in the files of ontologies.

        A subscription whose meaning changes is read again, and keeps its receiver. One that does not compile becomes a
        dead letter and rings no more, until a later change mends it. A file that is wrong now raises, and changes
        nothing.
        """
        with self._lock:
            self._catch_up()
            self._follow_ontologies()
            self._follow_catalog()
            self._set_the_alarm()
        self._delivered([])

    def _follow_ontologies(self) -> None:
        own = self._own | {each.name: each for each in ontologies(self._ontology, self._infer)}
        if own != self._own:
            require_agreement((), own.values())
            shared = {name: each for name, each in self._roster.definitions.items() if name not in self._own}
            self._own = own
            self._tell_broken(self._roster.change(own | shared))

    def _follow_catalog(self) -> None:
        if self._catalog is None or (version := self._catalog.version()) == self._version:
            return
        changes = self._catalog.changes(self._version, version)
        shared = {each.name: each for each in self._catalog.snapshot(version).definitions}
        replaced = {each.id for each in changes.added}
        for gone in changes.removed:
            if gone not in replaced:
                self._roster.remove(gone)
                self._receivers.pop(gone, None)
                self._told.pop(gone, None)
        for subscription in changes.added:
            self._receivers.setdefault(subscription.id, None)
        self._tell_broken(self._roster.change(self._own | shared, changes.added))
        self._version = version

    def _tell_broken(self, found: Broken) -> None:
        """A dead letter for each subscription that compiles no more; its subscriber hears too."""
        for subscription, problem in found:
            letter = broken(subscription.id, problem, subscription.expression)
            self._bury(letter)
            if subscription.id in self._told:
                self._told[subscription.id](letter)

    def _decoded(self, given: Iterable[Event | Mapping[str, Any] | bytes | str]) -> Iterable[Event]:
        for each in given:
            try:
                events = _events(each)
                if self._reception is not None:
                    events = [received(event, self._reception()) for event in events]
                yield from events
            except Problem as problem:
                self._bury(malformed(problem, each if isinstance(each, bytes | str) else shown_object(each)))

    def _end(self, key: str, letter: DeadLetter) -> None:
        """Tells a subscriber that the subscription is no more; with a catalog it stays there for others."""
        self._bury(letter)
        self._roster.remove(key)
        self._receivers.pop(key, None)
        tell = self._told.pop(key, None)
        if tell is not None:
            tell(letter)

    def _accepted(self, given: Iterable[Event | Mapping[str, Any] | bytes | str]) -> Iterable[Event]:
        for event in self._decoded(given):
            if not self._is_new(event):
                self.counts.duplicates += 1
                continue
            self.counts.events += 1
            if self._ahead.refuses(event):
                self.counts.too_far_ahead += 1
                self._late.add(event.identity)
                self._bury(too_far_ahead(event, self._ahead.allowed))
            elif self._watermark.is_late(event):
                self.counts.late += 1
                self._late.add(event.identity)
                self._bury(late(event))
            elif event.interval is not None and not self._has_begun:
                end = event.interval.end
                self._oldest = end if self._oldest is None else min(end, self._oldest)
            yield event

    def _is_new(self, event: Event) -> bool:
        if event.identity in self._seen:
            return False
        self._seen[event.identity] = None
        if len(self._seen) > self._remember:
            del self._seen[next(iter(self._seen))]
        return True

    def _deliver(self, match: Match) -> None:
        receiver = self._receivers.get(match.subscription)
        if receiver is None:
            return
        try:
            receiver(match)
        except Exception as error:
            self._bury(DeadLetter("DeliveryError", f"{type(error).__name__}: {error}", match.line()))

    def _bury(self, letter: DeadLetter) -> None:
        with self._lock:
            self.counts.dead_letters += 1
            self.dead_letters.append(letter)

    def _note_warnings(self, events: Sequence[Event]) -> None:
        """Counts what is odd about the events of the last batch, and keeps the newest."""
        for index, problem in self._engine.warned():
            self.counts.warnings += 1
            self.warnings.append(EventWarning.of(events[index], problem))

    def _new_name(self) -> str:
        self._named += 1
        while f"s{self._named}" in self._receivers:
            self._named += 1
        return f"s{self._named}"


def _wall_clock(clock: Clock | str | None) -> Clock | None:
    """The clock that runs by itself; None where only events move time."""
    if clock is None or clock == "events":
        return None
    if clock == "system":
        return wall_clock
    if callable(clock):
        return clock
    raise MeaningProblem(
        f"clock {clock!r} is not known", code="ClockError", token="clock", hint="one of events, system"
    )


def _events(given: Event | Mapping[str, Any] | bytes | str) -> list[Event]:
    if isinstance(given, Event):
        return [given]
    return decode_all(given) if isinstance(given, bytes | str) else events_of_mapping(given)
