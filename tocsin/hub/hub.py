"""The Hub: publish and subscribe in process. A failing event, subscription or subscriber never
affects the others.

It is the step-driven core with a lock, a clock and receivers. It may be used from several threads:
one at a time works on the engine. Each subscriber receives one match at a time, in the order of
detection, from a publishing thread or the clock's thread; no lock is held meanwhile.
"""

from __future__ import annotations

import threading
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from weakref import finalize

from tocsin.catalog import Definition, Subscription
from tocsin.engine.detection.scheduling.network import QUEUE_LIMIT
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.events.dead_letter import DeadLetter, EventWarning
from tocsin.events.event import MANY, Event
from tocsin.events.matches.match import Match
from tocsin.hub.clock_thread import ClockThread
from tocsin.hub.dispatch import Dispatcher, Listener, QueuedDeliveries, Receiver, require_callable
from tocsin.hub.mailbox import QUEUE, EventLoop, QueueLimit, parse_overflow, without_waiting
from tocsin.hub.step_hub import Clock, Given, StepHub, StepOutcome
from tocsin.lazy_import import LazyModule
from tocsin.runtime.admission import DEFAULT_AHEAD, wall_clock
from tocsin.runtime.gc_tuning import rare_collection
from tocsin.runtime.guarded import UnservedSubscription
from tocsin.values.time import parse_instant

if TYPE_CHECKING:
    from tocsin.catalog import Catalog, store
    from tocsin.languages.rule import building
    from tocsin.languages.rule.building import Rule
else:
    store = LazyModule("tocsin.catalog.store")
    building = LazyModule("tocsin.languages.rule.building")

PATIENCE = 5.0
"""Seconds that `close` waits for receivers on the event loop."""


@dataclass(frozen=True, slots=True)
class Handle:
    """A live subscription: its id, and the method that ends it."""

    id: str
    hub: Hub

    def cancel(self) -> None:
        """End the subscription; from the next event on it does not match."""
        self.hub.unsubscribe(self.id)


class Hub:
    """Publish/subscribe in process: matches go to the receivers at once.

    Duplicates are recognised among the last `remember` events. The newest `keep_dead_letters` dead
    letters are kept in `dead_letters`, and as many warnings about served events in `warnings`. With
    a `catalog` (path, URL or Catalog, which must exist) subscriptions are shared with other hosts.
    An `ontology` is the path of a file, or several, and `infer` lists the conclusions to draw from
    it. A composite with more than `queue_limit` occurrences in one buffer is suspended and its
    subscriber notified; the others continue.

    `clock` says what advances time: "events" (or None), the newest event and `advance_to` alone, so
    that a run can be repeated; "system", the wall clock as well, so that absences are detected
    without further events. A hub with a running clock has to be closed, by `close` or by `with`.

    While a subscriber is busy, at most `queue` matches of a subscription wait for it. `overflow`
    says what happens beyond: "block", the publisher waits; "drop", the oldest match becomes a dead
    letter; "suspend", the subscription ends and its subscriber is notified. A subscription may set
    its own.

    `interval` says when an event without an endtime ends: "start" (or None), when it starts;
    "reception", when it was received, which is stamped on events that do not say.

    `ahead` is the distance by which an event may end after the wall clock, or after the time given
    to `advance_to` if that is later. An event beyond it is a dead letter `TooFarAhead` and does not
    advance time. None, for replays, accepts every time.
    """

    def __init__(
        self,
        *,
        lateness: str | timedelta = "2s",
        catalog: Catalog | str | None = None,
        ontology: object = None,
        infer: object = None,
        remember: int = 100_000,
        keep_dead_letters: int = 1_000,
        queue_limit: int = QUEUE_LIMIT,
        clock: Clock | str | None = None,
        interval: str | None = None,
        ahead: str | None = DEFAULT_AHEAD,
        queue: int = QUEUE,
        overflow: str = "block",
    ) -> None:
        self._room = QueueLimit(queue, parse_overflow(overflow))
        self._wall = _wall_clock(clock)
        self._core = StepHub(
            store.open_catalog(catalog) if isinstance(catalog, str) else catalog,
            clock=self._wall or wall_clock,
            lateness=lateness,
            ontology=ontology,
            infer=infer,
            remember=remember,
            queue_limit=queue_limit,
            interval=interval,
            ahead=ahead,
            time_needs_composites=self._wall is None,
        )
        self.counts = self._core.counts
        self.dead_letters: deque[DeadLetter] = deque(maxlen=keep_dead_letters)
        self.warnings: deque[EventWarning] = deque(maxlen=keep_dead_letters)
        self._lock = threading.RLock()
        self._loop = EventLoop()
        self._dispatcher = Dispatcher(self._loop, self._add_dead_letter, self._suspend)
        finalize(self, self._loop.close, 0.0).atexit = False
        self._ended: list[UnservedSubscription] = []
        self._alarm: ClockThread | None = None
        self._is_closed = False
        self._named = 0
        with self._locked():
            self._look_at_the_clock()
            self._report(self._core.follow())
        if self._wall is not None:
            self._start_the_clock(self._wall)

    def _start_the_clock(self, wall: Clock) -> None:
        """Start time and the clock thread, which calls the hub when a timer is due."""
        self._alarm = ClockThread(self._tick, wall)
        self._report(self._core.begin(wall() - self._core.lateness))
        self._tick()

    def __enter__(self) -> Hub:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the clock, if one runs, and wait up to `PATIENCE` seconds for asynchronous
        receivers.

        Partial matches are discarded. A closed hub accepts nothing.
        """
        self.stop()
        self._dispatcher.close(PATIENCE)

    def stop(self) -> None:
        """Refuse further calls and stop the clock; asynchronous receivers finish their matches."""
        with self._lock:
            self._is_closed = True
        if self._alarm is not None:
            self._alarm.close()

    @property
    def is_closed(self) -> bool:
        """True if the hub refuses further calls."""
        return self._is_closed

    @property
    def deliveries(self) -> list[Future[None]]:
        """The deliveries that asynchronous receivers are working on."""
        return self._loop.running

    def run_receivers_on(self, loop: AbstractEventLoop) -> bool:
        """Run asynchronous receivers on the given loop; return False if they run on another
        already.
        """
        return self._loop.adopt(loop)

    @contextmanager
    def _locked(self) -> Iterator[QueuedDeliveries]:
        """Hold the engine lock; after releasing it, call the receivers.

        The yielded list holds the queued deliveries on exit.
        """
        posted: QueuedDeliveries = []
        try:
            with self._lock:
                try:
                    yield posted
                finally:
                    self._notify_ended()
                    self._set_the_alarm()
                    posted += self._dispatcher.take()
        finally:
            self._dispatcher.deliver(posted)

    def subscribe(
        self,
        expression: str | Rule,
        *,
        language: str | None = None,
        to: Receiver | None = None,
        id: str | None = None,
        problems_to: Listener | None = None,
        queue: int | None = None,
        overflow: str | None = None,
        **settings: Any,
    ) -> Handle:
        """Add a subscription: a text, by default a selector, or a rule of `tocsin.rule`, whose name
        is its id.

        One that does not compile, or whose id is taken, raises and changes nothing. So does one
        with a window of absolute time that is over by the hub's time. `problems_to` is called if
        the subscription is suspended later, because its state is too large or it fails repeatedly,
        breaks because a definition that it uses has changed, or ends because its window proves to
        be over when time begins. Both it and `to` may be coroutine functions: these run on an event
        loop in a thread of the hub.
        """
        require_callable("to", to)
        require_callable("problems_to", problems_to)
        room = QueueLimit(
            self._room.size if queue is None else queue,
            self._room.overflow if overflow is None else parse_overflow(overflow),
        )
        with self._locked():
            self._catch_up()
            named, written = "", "selector"
            if not isinstance(expression, str) and isinstance(expression, building.Rule):
                named, written = expression.id, building.LANGUAGE
            subscription = Subscription.from_json(
                {
                    "id": id or named or self._new_name(),
                    "language": language or written,
                    "expression": expression,
                    **settings,
                }
            )
            self._report(self._core.add(subscription))
            self._dispatcher.enter(subscription.id, to, problems_to, room)
        return Handle(subscription.id, self)

    def define(self, *definitions: Definition) -> None:
        """Add regions, parts and ontologies that subscriptions may use; a name can be defined once.

        An ontology that contradicts another is refused. Subscriptions whose meaning changes are
        compiled again.
        """
        with self._locked():
            self._catch_up()
            self._report(self._core.define(*definitions))

    def unsubscribe(self, id: str) -> None:
        """Remove a subscription; raises if the id is unknown."""
        with self._locked():
            self._catch_up()
            self._report(self._core.remove(id))

    def publish(self, *events: Given) -> list[Match]:
        """Match events, call the receivers and return the matches.

        Atomic subscriptions match at once, composites when the watermark has passed their events.
        """
        return self.publish_and_post(*events)[0]

    def publish_and_post(self, *events: Given) -> tuple[list[Match], QueuedDeliveries]:
        """Publish, and return the matches with their queued deliveries, for a caller that awaits
        them.
        """
        _require_one_by_one(events)
        # until matches are queued: the collector would walk through all events, which still live
        rarely = rare_collection() if len(events) >= MANY else nullcontext()
        with self._locked() as posted, rarely:
            self._look_at_the_clock()
            outcome = self._core.publish(events)
            self._report(outcome)
        return outcome.matches, posted

    def advance_to(self, now: str | datetime) -> list[Match]:
        """Advance the time of the hub and return the matches; timers may fire.

        An event that ends earlier than this time minus the lateness is late from now on.
        """
        return self.advance_and_post(now)[0]

    def advance_and_post(self, now: str | datetime) -> tuple[list[Match], QueuedDeliveries]:
        """Advance the time, and return the matches with their queued deliveries, for a caller that
        awaits them.
        """
        instant = parse_instant(now)
        with self._locked() as posted:
            self._look_at_the_clock()
            outcome = self._core.advance(instant)
            self._report(outcome)
        return outcome.matches, posted

    def _tick(self) -> None:
        """Advance to the wall clock, from the clock thread."""
        with without_waiting(), self._locked():
            if self._is_closed:
                return
            self._look_at_the_clock()
            self._report(self._core.advance())

    def _look_at_the_clock(self) -> None:
        """Advance the watermark to the wall clock, before any work; raises if the hub is closed."""
        if self._is_closed:
            raise StateProblem("the hub is closed", code="HubClosed", hint="make a new one")
        if self._wall is not None:
            self._core.note_time(self._wall())

    def _catch_up(self) -> None:
        """Bring time up to date before subscriptions change, so that the change applies from now
        on.
        """
        self._look_at_the_clock()
        if self._wall is not None:
            self._report(self._core.advance())
            self._notify_ended()

    def _set_the_alarm(self) -> None:
        """Set the alarm, after any work, to the time at which the watermark passes the next instant
        that is due.
        """
        if self._alarm is not None:
            soonest = self._core.next_instant()
            self._alarm.set(None if soonest is None else soonest + self._core.lateness + 1)

    def _report(self, outcome: StepOutcome) -> None:
        """Store dead letters and warnings, and queue for the subscribers what concerns them."""
        self.dead_letters += outcome.letters
        if outcome.warned:
            self.warnings += (EventWarning.of(event, problem) for event, problem in outcome.warned)
        for id in outcome.renewed:
            if id not in self._core:
                self._dispatcher.cancel(id)
            elif id not in self._dispatcher:
                self._dispatcher.enter(id)
        for id, letter in outcome.broken:
            self._dispatcher.notify_problem(id, letter)
        for match in outcome.matches:
            self._dispatcher.post(match)
        self._ended += outcome.ended

    def refresh(self) -> None:
        """Apply what others have changed in the catalog and in the ontology files.

        A subscription whose meaning changes is compiled again and keeps its receiver. One that does
        not compile becomes a dead letter and does not match until a later change fixes it. A file
        that is wrong now raises, and changes nothing.
        """
        with self._locked():
            self._catch_up()
            self._report(self._core.read_ontologies_again())
            self._report(self._core.follow())

    def _suspend(self, key: str, letter: DeadLetter) -> None:
        """End a subscription whose subscriber is too slow."""
        self._add_dead_letter(letter)
        self._core.end(key)
        self._ended.append(UnservedSubscription(key, letter))

    def _notify_ended(self) -> None:
        """Notify the subscribers of ended subscriptions, after all matches found before."""
        ended, self._ended = self._ended, []
        for key, letter in ended:
            self._dispatcher.end(key, letter)

    def _add_dead_letter(self, letter: DeadLetter) -> None:
        with self._lock:
            self.counts.dead_letters += 1
            self.dead_letters.append(letter)

    def _new_name(self) -> str:
        self._named += 1
        while f"s{self._named}" in self._core:
            self._named += 1
        return f"s{self._named}"


def _wall_clock(clock: Clock | str | None) -> Clock | None:
    """Return the clock that runs by itself, or None if only events advance time."""
    if clock is None or clock == "events":
        return None
    if clock == "system":
        return wall_clock
    if callable(clock):
        return clock
    raise MeaningProblem(
        f"clock {clock!r} is not known",
        code="ClockError",
        token="clock",
        hint="one of events, system",
    )


def _require_one_by_one(events: Iterable[object]) -> None:
    """Raise if an argument of `publish` is not an event, before any event is published."""
    for given in {type(each): each for each in events}.values():
        if not isinstance(given, Event | Mapping | bytes | str):
            raise MeaningProblem(
                f"publish takes events one by one, got {type(given).__name__}",
                code="PublishError",
                token=type(given).__name__,
                hint=(
                    "several are hub.publish(*events); an event is a dict, JSON text or bytes, or"
                    " an Event"
                ),
            )
