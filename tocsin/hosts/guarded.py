"""The engine with its faults contained: the same verbs, none of which raises for one event or one
subscription.

What could not be served is told by `take_letters`, which subscriptions were suspended for it by
`take_ended`. A fault of an event that no view can be made of counts against no subscription; else a
subscription that raises again and again, without ringing in between, is suspended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tocsin.engine.batch import Batch
from tocsin.engine.detection.network import Found
from tocsin.engine.engine import Engine
from tocsin.errors import EventProblem, Problem
from tocsin.events.constructed import constructed_events
from tocsin.events.dead_letter import (
    DeadLetter,
    builds_no_more,
    refused,
    suspended_for_faults,
    too_many_hops,
    undecided,
    unpublished,
    untold,
)
from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.hosts.containment import STRIKES, Fault, Strikes, contain, is_at_fault, serve_apart
from tocsin.hosts.fan_out import FanOut
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan
from tocsin.values.time import Instant

Plans = Callable[[], Mapping[str, Plan]]
"""The plans that the engine serves, by key; asked for only when an event raises."""


@dataclass(slots=True)
class Served:
    """What events give: who rings for which, what composites want, what is odd, and which could not
    be served at all.

    Nothing here says which batch an event was matched in.
    """

    rings: list[tuple[Event, str]] = field(default_factory=list)
    relevant: list[tuple[Event, tuple[Atom, ...]]] = field(default_factory=list)
    warned: list[tuple[Event, EventProblem]] = field(default_factory=list)
    letters: list[DeadLetter] = field(default_factory=list)
    unserved: list[Event] = field(default_factory=list)

    def add(self, other: Served) -> None:
        """What further events, or further subscriptions, give."""
        self.rings += other.rings
        self.relevant += other.relevant
        self.warned += other.warned
        self.letters += other.letters


class GuardedEngine:
    """An engine and what has been raised in it."""

    __slots__ = ("_ended", "_fan_out", "_letters", "_plans", "_strikes", "_suspends", "engine")

    def __init__(
        self, engine: Engine, plans: Plans, fan_out: FanOut | None = None, *, suspends: bool = True
    ) -> None:
        self.engine = engine
        self._fan_out = fan_out or FanOut()
        self._suspends = suspends
        engine.contain_faults()
        self._plans = plans
        self._strikes = Strikes()
        self._letters: list[DeadLetter] = []
        self._ended: dict[str, DeadLetter] = {}

    def match(self, events: Sequence[Event]) -> Served:
        """What rings at once, and what composites are to be told of."""
        contained = contain(events, lambda part: _matched(self.engine, part), self._match_apart)
        found = Served(unserved=[event for event, _ in contained.failed])
        for _, served in contained.served:
            found.add(served)
        self._letters += found.letters
        return found

    def ring(self, key: str, event: Event) -> Match | None:
        """What an atomic subscription that rings for an event tells; None where nothing
        comes out.
        """
        if key in self._ended:
            return None
        constructs = self.engine.constructs(key)
        if constructs and not self._fan_out.may_build(event):
            self._letters.append(builds_no_more(event, key))
            return None
        try:
            match = self.engine.ring(key, event)
        except Exception as error:
            self._blame(Fault(error, (event,), key))
            return None
        if constructs and match is not None:
            self._fan_out.note(event, match)
        self._strikes.forget(key)
        self._take_untold()
        return match

    def detect(self, event: Event, atoms: Iterable[Atom]) -> list[Match]:
        """What the next event in canonical order, and the timers due before it, bring about, as
        matches.
        """
        return self._detect(lambda: self.engine.detect(event, atoms), (event,))

    def advance_to(self, now: Instant | None, leap: Instant | None = None) -> list[Match]:
        """What the timers up to an instant bring about, as matches; None for the end of time.

        `leap` says up to when no event will come, as for the engine.
        """
        return self._detect(lambda: self.engine.advance_to(now, leap), ())

    def publish(self, found: Iterable[Match]) -> list[Event]:
        """The events that matches construct, all at one time; past the limits they are dead
        letters.
        """
        building = [match for match in found if self.engine.constructs(match.subscription)]
        events, letters = self._fan_out.publish((match, self._built(match)) for match in building)
        self._letters += letters
        return events

    def _built(self, match: Match) -> list[Event]:
        """The events that a match constructs; what can be none is a dead letter."""
        try:
            events = constructed_events(match)
        except Problem as problem:
            self._letters.append(unpublished(match.subscription, match.id, problem))
            return []
        except Exception as error:
            self._blame(Fault(error, match.members, match.subscription))
            return []
        if match.outputs and not events:
            self._letters.append(too_many_hops(match.subscription, match.id))
        return events

    def pass_over(self, pause: tuple[Instant, Instant]) -> list[Match]:
        """What time brings about between two events that are far apart, as matches: the clock
        leaps.
        """
        return self._detect(lambda: self.engine.pass_over(pause), ())

    def take_letters(self) -> list[DeadLetter]:
        """What could not be served, and why, since this was asked last."""
        letters, self._letters = self._letters, []
        return letters

    def take_ended(self) -> list[tuple[str, DeadLetter]]:
        """The subscriptions that have left the engine because they raised once too often, since
        this was asked last.
        """
        ended, self._ended = self._ended, {}
        return list(ended.items())

    def snapshot(self) -> dict[str, Any]:
        """What has been raised and what was built, as plain data."""
        return {"strikes": self._strikes.snapshot(), "fan_out": self._fan_out.snapshot()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Takes over a snapshot."""
        self._strikes.restore(state["strikes"])
        self._fan_out.restore(state["fan_out"])

    def forget(self, key: str) -> None:
        """A subscription is gone, or another has its id now: what it raised before counts
        no more.
        """
        self._strikes.forget(key)

    def _match_apart(self, event: Event, error: Exception) -> Served | None:
        """One event that raises, for as many subscriptions as it does not raise for; None where
        that is nobody.
        """
        plans = self._plans()
        keys = sorted(plans, key=lambda key: type(plans[key].pattern).__name__)
        apart = serve_apart(keys, lambda group: _matched(_engine_of(group, plans), (event,)))
        at_fault = is_at_fault(event)
        for key, raised in apart.raised.items():
            self._blame(Fault(raised, (event,), key), at_fault)
        if apart.rest is not None or not apart.raised:
            self._letters.append(Fault(apart.rest or error, (event,)).letter())
        return _joined(event, apart.results) if apart.results else None

    def _detect(self, work: Callable[[], Found], events: tuple[Event, ...]) -> list[Match]:
        try:
            found = work()
        except Exception as error:
            self.engine.abandon_step()
            self._letters.append(Fault(error, events).letter())
            found = []
        except BaseException:
            self.engine.abandon_step()
            raise
        for key, raised in self.engine.take_faults():
            self._blame(Fault(raised, events, key))
        self._take_untold()
        if self._ended:
            found = [each for each in found if each[0] not in self._ended]
        return self._render(found) if found else []

    def _render(self, found: Found) -> list[Match]:
        """What composite subscriptions tell; those that cannot be told are dead letters."""

        def render(part: Sequence[tuple[str, object]]) -> tuple[list[Match], list[DeadLetter]]:
            self.engine.take_untold()  # that of a part which raised in its midst
            return self.engine.rendered(list(part)), self._untold()  # type: ignore[arg-type]

        contained = contain(found, render)
        matches: list[Match] = []
        for _, (told, letters) in contained.served:
            matches += told
            self._letters += letters
        for match in matches:
            self._strikes.forget(match.subscription)
        for (key, occurrence), error in contained.failed:
            self._blame(Fault(error, occurrence.members, key))
        return matches

    def _blame(self, fault: Fault, at_fault: bool | None = None) -> None:
        """Tells a fault, and counts it against the subscription where no event is at fault."""
        self._letters.append(fault.letter())
        key = fault.subscription
        if key is None or key in self._ended or not self._suspends:
            return
        if any(map(is_at_fault, fault.events)) if at_fault is None else at_fault:
            return
        if self._strikes.add(key):
            self._strikes.forget(key)
            self._ended[key] = suspended_for_faults(key, fault.error, STRIKES)
            self.engine.remove(key)

    def _take_untold(self) -> None:
        self._letters += self._untold()

    def _untold(self) -> list[DeadLetter]:
        """Dead letters of the rings for which nothing could be built."""
        return [
            untold(each.events, each.subscription, each.why.code, each.why.reason)
            for each in self.engine.take_untold()
        ]


def _matched(engine: Engine, events: Sequence[Event]) -> Served:
    """What an engine makes of events; raises what it raises."""
    matched = engine.match_all(Batch(events))
    return Served(
        [(events[index], key) for index, key in matched.rings],
        [(events[each.index], each.atoms) for each in matched.relevant],
        [(events[index], problem) for index, problem in engine.warned()],
        [refused(events[index], problem) for index, problem in engine.refused().items()]
        + [undecided(events[index], key) for index, key in engine.undecided()],
    )


def _engine_of(keys: Iterable[str], plans: Mapping[str, Plan]) -> Engine:
    """An engine of its own for some of the subscriptions; without a past."""
    engine = Engine()
    for key in keys:
        engine.add(key, plans[key])
    return engine


def _joined(event: Event, results: Iterable[Served]) -> Served:
    """What one event gives that several engines were asked about: each atom, warning and letter
    once.
    """
    found = Served()
    for each in results:
        found.add(each)
    atoms = dict.fromkeys(atom for _, atoms in found.relevant for atom in atoms)
    found.relevant = [(event, tuple(atoms))] if atoms else []
    found.warned = list(
        {(problem.code, problem.token): (event, problem) for _, problem in found.warned}.values()
    )
    found.letters = list(dict.fromkeys(found.letters))
    return found
