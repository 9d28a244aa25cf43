"""The Hub: publish and subscribe in process. One bad event, subscription or subscriber never harms the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import Catalog, Subscription, compile_subscription, open_catalog
from tocsin.engine.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.errors import Problem, StateProblem, UnsupportedProblem
from tocsin.events.codecs.cloudevents import decode, from_mapping
from tocsin.events.dead_letter import DeadLetter, late, malformed
from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.hosts.local.finite import match_batch
from tocsin.hosts.ordering import Watermark
from tocsin.values.time import parse_duration, parse_instant

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
    `dead_letters`. With a `catalog` (path, URL or Catalog) subscriptions are shared with other hosts.
    """

    def __init__(
        self,
        *,
        lateness: str | None = "2s",
        catalog: Catalog | str | None = None,
        ontology: object = None,
        remember: int = 100_000,
        keep_dead_letters: int = 1_000,
    ) -> None:
        if ontology is not None:
            raise UnsupportedProblem("no language of this version reads an ontology", hint="leave ontology out")
        self.counts = Counts()
        self.dead_letters: deque[DeadLetter] = deque(maxlen=keep_dead_letters)
        self._watermark = Watermark(None if lateness is None else parse_duration(lateness))
        self._engine = Engine()
        self._receivers: dict[str, Receiver | None] = {}
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
        **settings: Any,
    ) -> Handle:
        """Adds a subscription; one that does not compile, or whose id is taken, raises and changes nothing."""
        subscription = Subscription.from_json(
            {"id": id or self._new_name(), "language": language, "expression": expression, **settings}
        )
        plan = compile_subscription(subscription)
        if subscription.id in self._receivers:
            raise StateProblem(f"subscription {subscription.id!r} is there already", code="DuplicateSubscriptionError")
        if self._catalog is not None:
            self._catalog.add(subscription)
            self.refresh()
        else:
            self._engine.add(subscription.id, plan)
        self._receivers[subscription.id] = to
        return Handle(subscription.id, self)

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

    def publish(self, *events: Event | Mapping[str, Any] | bytes | str) -> list[Match]:
        """Matches events, calls the receivers, and returns the matches in canonical order of the events."""
        accepted = sorted(self._accepted(events), key=lambda event: event.order)
        found = list(match_batch(self._engine, Batch(accepted))) if accepted else []
        self.counts.matches += len(found)
        for match in found:
            self._deliver(match)
        return found

    def advance_to(self, now: str) -> None:
        """Tells the hub the time; events that end more than the lateness before it are late from now on."""
        self._watermark.advance_to(parse_instant(now))

    def refresh(self) -> None:
        """Takes over what others have changed in the catalog since; what does not compile becomes a dead letter."""
        if self._catalog is None or (version := self._catalog.version()) == self._version:
            return
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
            self._engine.add(subscription.id, compile_subscription(subscription))
        except Problem as problem:
            self._bury(malformed(problem, subscription.expression))
        else:
            self._receivers[subscription.id] = None

    def _accepted(self, events: Iterable[Event | Mapping[str, Any] | bytes | str]) -> Iterable[Event]:
        for given in events:
            try:
                event = _event(given)
            except Problem as problem:
                self._bury(malformed(problem, given if isinstance(given, bytes | str) else repr(given)))
                continue
            if not self._is_new(event):
                self.counts.duplicates += 1
                continue
            self.counts.events += 1
            if self._watermark.is_late(event):
                self.counts.late += 1
                self._bury(late(event))
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


def _event(given: Event | Mapping[str, Any] | bytes | str) -> Event:
    if isinstance(given, Event):
        return given
    return decode(given) if isinstance(given, bytes | str) else from_mapping(given)
