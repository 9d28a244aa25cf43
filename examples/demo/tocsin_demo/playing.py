"""The day played to a service: the night at once, so that there is something to look back at, then
hour after hour at a steady pace, and the subscriptions of each hour.

A change of the subscriptions waits until everything before it is matched, so that every event meets
those of its hour. Where it goes on for ever, each following day has dice of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Event
from time import monotonic

from tocsin.catalog import Subscription
from tocsin.errors import Problem
from tocsin.service.core.ingest import LINES, receive
from tocsin.service.core.service import Service
from tocsin.values.time import Duration, Instant, format_instant, parse_duration
from tocsin_demo.story import DAY, MIDNIGHT, Line, Story
from tocsin_demo.subscriptions import Change, definitions, during_the_day, from_the_start

NIGHT: Duration = parse_duration("PT6H30M")
"""So much of the day is told at once."""

_HOUR: Duration = parse_duration("1h")
_BATCH = 500
_LOOK = 0.05
"""Seconds between two looks at the clock."""

_SHARED = ""
"""The tenant of all that the demo has."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The rest of the day takes so many seconds; then comes the next day, or none."""

    seconds: float
    goes_on: bool = False


class Player:
    """Plays days until there are no more, or it is told to stop. `tell` hears of each hour."""

    def __init__(
        self,
        service: Service,
        story: Story,
        pace: Pace,
        stopping: Event,
        tell: Callable[[str], None],
    ) -> None:
        self._service, self._story, self._pace = service, story, pace
        self._stopping, self._tell = stopping, tell
        self._added: set[str] = set()
        self._removed: set[str] = set()
        self._waiting: list[str] = []

    def prepare(self) -> None:
        """Puts the definitions and the subscriptions of the first hour in."""
        for definition in definitions():
            body = {name: value for name, value in definition.as_json().items() if name != "define"}
            self._service.definitions.put(_SHARED, definition.name, body)
        for subscription in from_the_start():
            self._subscribe(subscription)

    def play(self) -> None:
        """Plays day after day."""
        day = 0
        while not self._stopping.is_set():
            self._play_day(day)
            if not self._pace.goes_on:
                break
            day += 1
            self._settle()
            self._dawn()

    def _play_day(self, day: int) -> None:
        changes = list(during_the_day())
        begun, hour = monotonic(), 0
        for line in lines_of(self._story, day):
            while changes and changes[0].hour * _HOUR <= line.arrival - MIDNIGHT:
                self._flush()
                self._settle()
                self._change(changes.pop(0))
            while line.arrival > self._now(begun):
                self._flush()
                if self._stopping.wait(_LOOK):
                    return
            if (line.arrival - MIDNIGHT) // _HOUR > hour:
                hour = (line.arrival - MIDNIGHT) // _HOUR
                self._flush()
                self._report(day, hour)
            self._waiting.append(line.text)
            if len(self._waiting) >= _BATCH:
                self._flush()
        self._flush()
        self._settle()
        self._report(day, DAY // _HOUR)

    def _now(self, begun: float) -> Instant:
        """What time it is in the story."""
        passed = (monotonic() - begun) / self._pace.seconds
        return MIDNIGHT + NIGHT + int(passed * (DAY - NIGHT))

    def _flush(self) -> None:
        if self._waiting:
            body = "\n".join(self._waiting).encode()
            self._waiting.clear()
            self._service.log.append(receive(body, {"content-type": LINES}).rows).result()

    def _settle(self) -> None:
        """Waits until all that was published is matched."""
        service = self._service
        while service.runner.status().position < service.log.head:
            if self._stopping.wait(_LOOK):
                return

    def _change(self, change: Change) -> None:
        for subscription in change.add:
            self._subscribe(subscription)
            self._added.add(subscription.id)
        for id_ in change.remove:
            self._leave(id_)
            self._added.discard(id_)
            self._removed.add(id_)

    def _dawn(self) -> None:
        """The subscriptions are again those of the first hour; what others have put in stays."""
        for id_ in self._added:
            self._leave(id_)
        for subscription in from_the_start():
            if subscription.id in self._removed:
                self._subscribe(subscription)
        self._added.clear()
        self._removed.clear()

    def _subscribe(self, subscription: Subscription) -> None:
        body = {name: value for name, value in subscription.as_json().items() if name != "id"}
        self._service.entries.put(_SHARED, subscription.id, body)

    def _leave(self, id_: str) -> None:
        try:
            self._service.entries.remove(_SHARED, id_)
        except Problem as problem:
            if problem.code != "UnknownSubscriptionError":
                raise

    def _report(self, day: int, hour: int) -> None:
        counts = self._service.counters
        told = f"day {day + 1}, {hour:02}:00" if self._pace.goes_on else f"{hour:02}:00"
        self._tell(f"{told}  {self._service.log.head:,} events, {counts.matches:,} matches")


def lines_of(story: Story, day: int) -> Iterator[Line]:
    """The lines of a day after the first: told by other dice, with the date and ids of their own.
    Arrivals are those of the first day.
    """
    if day == 0:
        yield from story.tell()
        return
    first = format_instant(MIDNIGHT)[:10]
    date = format_instant(MIDNIGHT + day * DAY)[:10]
    for line in replace(story, seed=story.seed + day).tell():
        text = line.text.replace(first, date).replace('"id":"', f'"id":"d{day + 1}-', 1)
        yield Line(line.arrival, text)
