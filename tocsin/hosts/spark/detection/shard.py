"""A shard at work: a state machine that takes steps and gives matches. The same steps give the same
state, anywhere.

An event is late if it ends before the watermark that the shard had when the step began, so that the
order of rows within a micro-batch does not matter. A step taken again, to rebuild lost memory,
gives the same matches again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

from tocsin.engine.detection.network import QUEUE_LIMIT
from tocsin.events.dead_letter import DeadLetter, hurried, late, suspended, window_over
from tocsin.events.event import Event
from tocsin.events.match import Match, once
from tocsin.events.order import in_canonical_order
from tocsin.hosts.ordering import ReorderBuffer
from tocsin.hosts.spark.contained import guarded, letters_of
from tocsin.hosts.spark.detection.clock import Millis, Pace, StreamClock
from tocsin.hosts.spark.detection.messages import Hit, message_of
from tocsin.hosts.spark.detection.serde import event_of_plain, pack, plain_event, unpack
from tocsin.hosts.spark.detection.shard_plans import Members
from tocsin.hosts.spark.rows import Letter
from tocsin.hosts.spark.sources import Source
from tocsin.hosts.spark.telling import Teller, Telling
from tocsin.values.time import Instant, format_instant

_Atoms = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """Which shard of how many, and how its clock goes."""

    number: int
    shards: int
    pace: Pace


@dataclass(slots=True)
class Outcome:
    """What a step brings about."""

    matches: list[Match] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)


def step_of(messages: Iterable[bytes], now: Millis) -> bytes:
    """A step: the messages of a micro-batch, in an order of their own, and its processing time."""
    return pack((now, sorted(messages)))


class Shard:
    """The composites of a shard, the events that wait for the watermark, and the clock. `token`
    names the state.
    """

    def __init__(self, setting: Setting, source: Source) -> None:
        self.source = source
        self.token = blake2b(repr((setting, source.key)).encode(), digest_size=16).digest()
        self.clock = StreamClock(setting.pace)
        self._members = Members(setting.number, setting.shards)
        self._buffer: ReorderBuffer[_Atoms] = ReorderBuffer()
        self._waiting: set[tuple[str, str]] = set()
        self._oldest: Instant | None = None
        self._has_begun = False

    def take(self, step: bytes) -> Outcome:
        """Takes one step."""
        now, raw = unpack(step)
        messages = [message_of(each) for each in raw]
        outcome = Outcome()
        if messages:
            outcome.letters += self.move_to(messages[0].version)
            self._admit([hit for message in messages for hit in message.hits], outcome)
            spans = [message.span for message in messages if message.span is not None]
            self._begins_with(min((oldest for oldest, _ in spans), default=None))
            self.clock.saw(max((newest for _, newest in spans), default=None), now)
        else:
            self.clock.run_on(now)
        outcome.letters += map(letter_of, map(window_over, self._begun()))
        outcome.matches += self._detected(outcome.letters)
        if (end := self._buffer.end_of_excess(QUEUE_LIMIT)) is not None:
            told = hurried(len(self._buffer) - QUEUE_LIMIT, QUEUE_LIMIT, format_instant(end + 1))
            outcome.letters.append(
                Letter(told.code, told.reason, None, None, None, None, told.input)
            )
            self.clock.pass_by(end)
            outcome.matches += self._detected(outcome.letters)
        outcome.letters += map(letter_of, map(suspended, self._members.engine.take_suspended()))
        self.token = blake2b(self.token + step, digest_size=16).digest()
        return outcome

    def teller(self, telling: Telling) -> Teller:
        """Who tells of members what is asked for now."""
        return self._members.teller(telling)

    def _begins_with(self, oldest: Instant | None) -> None:
        """Until time begins, the lowest end counts that is not late."""
        if oldest is None or self._has_begun:
            return
        mark = self.clock.watermark
        oldest = oldest if mark is None else max(oldest, mark)
        self._oldest = oldest if self._oldest is None else min(oldest, self._oldest)

    def move_to(self, version: int) -> list[Letter]:
        """Holds the subscriptions of a version."""
        if self._members.version == version:
            return []
        return self._members.move_to(self.source.snapshot(version), self.clock.watermark)

    def change_source(self, source: Source) -> None:
        """Takes its subscriptions from another list or catalog from now on."""
        self.source = source
        self._members.version = None

    def next_instant(self) -> Instant | None:
        """What the clock has to pass for anything more to happen without new events."""
        wanted = (self._members.engine.next_timer(), self._buffer.first())
        return min((instant for instant in wanted if instant is not None), default=None)

    def snapshot(self) -> bytes:
        """The whole state as plain data."""
        clock, members = self.clock, self._members
        held = [(plain_event(event), atoms) for event, atoms in self._buffer.held()]
        pace = clock.pace
        times = (
            clock.newest,
            clock.arrived,
            clock.counted,
            pace.lateness,
            pace.idle,
            self._oldest,
            self._has_begun,
        )
        return pack(
            (self.token, members.version, members.refused(), members.engine.snapshot(), held, times)
        )

    def restore(self, raw: bytes) -> None:
        """Takes over a snapshot into a shard that has seen nothing yet."""
        self.token, version, refused, state, held, times = unpack(raw)
        if version is not None:
            self.move_to(version)
            self._members.refuse(refused)
            self._members.engine.restore(state)
        for plain, atoms in held:
            self._hold(event_of_plain(plain), atoms)
        newest, arrived, counted, lateness, idle, self._oldest, self._has_begun = times
        self.clock = StreamClock(Pace(lateness, idle), newest, arrived, counted)

    def _admit(self, hits: list[Hit], outcome: Outcome) -> None:
        """Late events become dead letters, those that wait already are left out, the others
        wait.
        """
        by_event = {id(hit.event): hit for hit in hits}
        mark = self.clock.watermark
        for event in in_canonical_order(hit.event for hit in hits):
            hit = by_event[id(event)]
            if mark is not None and event.interval is not None and event.interval.end < mark:
                outcome.letters += [_late_letter(event)] if hit.teller else []
            elif event.identity not in self._waiting:
                self._hold(event, hit.atoms)

    def _hold(self, event: Event, atoms: _Atoms) -> None:
        self._waiting.add(event.identity)
        self._buffer.add(event, atoms)

    def _begun(self) -> list[str]:
        """Begins time as soon as the first event is sure to be the first; whose window was over
        before is out.
        """
        mark = self.clock.watermark
        if self._has_begun or mark is None or (self._oldest is not None and mark <= self._oldest):
            return []
        over = self._members.engine.begin_at(mark if self._oldest is None else self._oldest)
        self._has_begun, self._oldest = True, None
        return over

    def _detected(self, letters: list[Letter]) -> list[Match]:
        mark = self.clock.watermark
        if mark is None or not self._has_begun:
            return []
        found: list[Match] = []
        guard = guarded(self._members.engine, self._members.plans)
        for event, names in self._buffer.release(mark):
            self._waiting.discard(event.identity)
            if event.interval is not None:
                found += guard.advance_to(event.interval.end - 1, event.interval.end - 1)
            found += guard.detect(event, self._members.atoms(names))
        found += guard.advance_to(mark - 1, mark - 1)
        guard.engine.forget_before(mark)
        letters += letters_of(guard.take_letters())
        return list(once(found))


def letter_of(plain: DeadLetter) -> Letter:
    """The letter of a subscription that ends; its input is the subscription's id."""
    return Letter(plain.code, plain.reason, plain.input, None, None, plain.input, plain.input)


def _late_letter(event: Event) -> Letter:
    plain = late(event)
    return Letter(plain.code, plain.reason, None, None, None, None, plain.input)
