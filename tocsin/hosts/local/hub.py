"""The Hub: publish and subscribe in process. One bad event, subscription or subscriber never harms the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import (
    Catalog,
    Definition,
    Subscription,
    compile_subscription,
    knowledge_in,
    ontologies,
    open_catalog,
)
from tocsin.engine.batch import Batch
from tocsin.engine.detection.network import QUEUE_LIMIT, Found
from tocsin.engine.engine import Engine
from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.epcis.inside import decode_all, events_of_mapping
from tocsin.events.constructed import constructed_events
from tocsin.events.dead_letter import DeadLetter, late, malformed, refused, suspended, too_many_hops, undecided, untold
from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.hosts.ordering import ReorderBuffer, Watermark
from tocsin.plan.atoms import Atom
from tocsin.values.time import Instant, parse_duration, parse_instant

Receiver = Callable[[Match], object]


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
    dead_letters: int = 0


class Hub:
    """Subscriptions and events meet here; matches go to the receivers at once.

    Duplicates are recognised among the last `remember` events. The newest `keep_dead_letters` dead letters are kept in
    `dead_letters`. With a `catalog` (path, URL or Catalog) subscriptions are shared with other hosts. An `ontology` is
    the path of a file, or several. A composite for which more than `queue_limit` occurrences wait in one place is
    suspended and its subscriber told; the others are served on.
    """

    def __init__(
        self,
        *,
        lateness: str = "2s",
        catalog: Catalog | str | None = None,
        ontology: object = None,
        remember: int = 100_000,
        keep_dead_letters: int = 1_000,
        queue_limit: int = QUEUE_LIMIT,
    ) -> None:
        self.counts = Counts()
        self.dead_letters: deque[DeadLetter] = deque(maxlen=keep_dead_letters)
        self._watermark = Watermark(parse_duration(lateness))
        self._buffer: ReorderBuffer[tuple[Atom, ...]] = ReorderBuffer()
        self._late: set[tuple[str, str]] = set()
        self._oldest: Instant | None = None
        self._has_begun = False
        self._engine = Engine(queue_limit=queue_limit)
        self._receivers: dict[str, Receiver | None] = {}
        self._told: dict[str, Callable[[DeadLetter], object]] = {}
        self._definitions: dict[str, Definition] = {each.name: each for each in ontologies(ontology)}
        knowledge_in(self._definitions.values())
        self._seen: dict[tuple[str, str], None] = {}
        self._remember = remember
        self._named = 0
        self._catalog = open_catalog(catalog) if isinstance(catalog, str) else catalog
        self._version = 0
        self.refresh()

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

        `problems_to` hears if it is suspended later, because too much waits for it.
        """
        subscription = Subscription.from_json(
            {"id": id or self._new_name(), "language": language, "expression": expression, **settings}
        )
        plan = compile_subscription(subscription, self._definitions.values())
        if subscription.id in self._receivers:
            raise StateProblem(f"subscription {subscription.id!r} is there already", code="DuplicateSubscriptionError")
        if self._catalog is not None:
            self._catalog.add(subscription)
            self.refresh()
        else:
            self._engine.add(subscription.id, plan)
        self._receivers[subscription.id] = to
        if problems_to is not None:
            self._told[subscription.id] = problems_to
        return Handle(subscription.id, self)

    def define(self, *definitions: Definition) -> None:
        """Names for regions and parts that subscriptions may use from now on; a name can be defined once."""
        for definition in definitions:
            if definition.name in self._definitions:
                raise StateProblem(
                    f"{definition.name!r} is defined already", code="DuplicateSubscriptionError", token=definition.name
                )
        if self._catalog is not None:
            self._catalog.add(*definitions)
        self._definitions |= {definition.name: definition for definition in definitions}

    def unsubscribe(self, id: str) -> None:
        """Removes a subscription; raises where it is not there."""
        if id not in self._receivers:
            raise StateProblem(f"there is no subscription {id!r}", code="UnknownSubscriptionError", token=id)
        if self._catalog is not None:
            self._catalog.remove(id)
            self.refresh()
        else:
            self._engine.remove(id)
        self._receivers.pop(id, None)
        self._told.pop(id, None)

    def publish(self, *events: Event | Mapping[str, Any] | bytes | str) -> list[Match]:
        """Matches events, calls the receivers and returns the matches.

        Atomic subscriptions ring at once, composites when the watermark has passed the events they are made of.
        """
        accepted = sorted(self._accepted(events), key=lambda event: event.order)
        found: list[Match] = []
        while accepted:
            rung = self._rung(accepted)
            found += rung
            accepted = self._built(rung)
        self._late.clear()
        return self._delivered(found + self._detected())

    def _rung(self, accepted: list[Event]) -> list[Match]:
        """What atomic subscriptions make of events; what composites want of them waits for the watermark."""
        matched = self._engine.match_all(Batch(accepted))
        for index, problem in self._engine.refused().items():
            self._bury(refused(accepted[index], problem))
        for index, key in self._engine.undecided():
            self._bury(undecided(accepted[index], key))
        for each in matched.relevant:
            if accepted[each.index].identity not in self._late:
                self._buffer.add(accepted[each.index], each.atoms)
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
        self._watermark.advance_to(parse_instant(now))
        return self._delivered(self._detected())

    def _detected(self) -> list[Match]:
        """What composites make of the events and timers that the watermark has passed."""
        mark = self._watermark.instant
        if not self._engine.has_composites or mark is None or (self._oldest is not None and mark <= self._oldest):
            return []
        if not self._has_begun:
            self._engine.begin_at(mark if self._oldest is None else self._oldest)
            self._has_begun, self._oldest = True, None
        found: list[Match] = []
        for event, atoms in self._buffer.release(mark):
            if event.interval is not None:
                found += self._timed(event.interval.end - 1)
            found += self._cascaded(self._engine.detect(event, atoms))
        found += self._timed(mark - 1)
        self._engine.forget_before(mark)
        for key in self._engine.take_suspended():
            self._suspend(key)
        return found

    def _timed(self, now: Instant) -> list[Match]:
        """What the timers up to `now` bring about, one instant after the other."""
        found: list[Match] = []
        while (due := self._engine.next_timer()) is not None and due <= now:
            found += self._cascaded(self._engine.advance_to(due))
        return found + self._cascaded(self._engine.advance_to(now))

    def _cascaded(self, detected: Found) -> list[Match]:
        """What was detected, and what comes of the events that it constructs: they happen at once, one by one."""
        found = self._engine.rendered(detected)
        waiting = deque(self._built(found))
        while waiting:
            event = waiting.popleft()
            matched = self._engine.match_all(Batch([event]))
            for _, key in self._engine.undecided():
                self._bury(undecided(event, key))
            rings = (self._engine.ring(key, event) for _, key in matched.rings)
            further = [match for match in rings if match is not None]
            for each in matched.relevant:
                further += self._engine.rendered(self._engine.detect(event, each.atoms))
            found += further
            waiting += self._built(further)
        self._bury_untold()
        return found

    def _bury_untold(self) -> None:
        """Dead letters of the rings for which nothing could be built."""
        for each in self._engine.take_untold():
            self._bury(untold(each.events, each.subscription, each.why.code, each.why.reason))

    def _delivered(self, found: list[Match]) -> list[Match]:
        self.counts.matches += len(found)
        for match in found:
            self._deliver(match)
        return found

    def refresh(self) -> None:
        """Takes over what others have changed in the catalog since; what does not compile becomes a dead letter."""
        if self._catalog is None or (version := self._catalog.version()) == self._version:
            return
        self._definitions |= {each.name: each for each in self._catalog.snapshot(version).definitions}
        changes = self._catalog.changes(self._version, version)
        for gone in changes.removed:
            if gone in self._receivers:
                self._engine.remove(gone)
                del self._receivers[gone]
        for subscription in changes.added:
            self._take(subscription)
        self._version = version

    def _take(self, subscription: Subscription) -> None:
        try:
            self._engine.add(subscription.id, compile_subscription(subscription, self._definitions.values()))
        except Problem as problem:
            self._bury(malformed(problem, subscription.expression))
        else:
            self._receivers[subscription.id] = None

    def _decoded(self, given: Iterable[Event | Mapping[str, Any] | bytes | str]) -> Iterable[Event]:
        for each in given:
            try:
                yield from _events(each)
            except Problem as problem:
                self._bury(malformed(problem, each if isinstance(each, bytes | str) else repr(each)))

    def _suspend(self, key: str) -> None:
        """Tells a subscriber that the subscription is no more; with a catalog it stays there for others."""
        letter = suspended(key)
        self._bury(letter)
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
            if self._watermark.is_late(event):
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
        self.counts.dead_letters += 1
        self.dead_letters.append(letter)

    def _new_name(self) -> str:
        self._named += 1
        while f"s{self._named}" in self._receivers:
            self._named += 1
        return f"s{self._named}"


def _events(given: Event | Mapping[str, Any] | bytes | str) -> list[Event]:
    if isinstance(given, Event):
        return [given]
    return decode_all(given) if isinstance(given, bytes | str) else events_of_mapping(given)
