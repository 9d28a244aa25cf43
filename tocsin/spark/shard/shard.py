"""A shard at work: a state machine of steps that return matches. Equal steps give equal state,
anywhere.

An event is late if it ends before the watermark at the beginning of the step, so that the order of
rows within a micro-batch does not matter. A repeated step, to rebuild lost memory, gives the same
matches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b

from tocsin.events.dead_letter import late
from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import Match, deduplicate
from tocsin.runtime.guarded import GuardedBatchResult, Outcome
from tocsin.runtime.sequencer import Sequencer
from tocsin.runtime.watermark import ClockSettings, StreamClock
from tocsin.spark.match_task.messages import RoutedEvent, message_of
from tocsin.spark.match_task.serde import event_of_plain, pack, plain_event, unpack
from tocsin.spark.output.batches import Results
from tocsin.spark.output.letters import Letter, letter_of
from tocsin.spark.output.member_output import MemberOutput, MemberRenderer
from tocsin.spark.plans.shard_plans import ShardPlans
from tocsin.spark.plans.sources import Source
from tocsin.values.time import Instant


class ShardSequencer(Sequencer[tuple[bytes, ...]]):
    """Events and time of a shard; the payload of an event is the names of its atoms."""

    def __init__(self, members: ShardPlans, clock: StreamClock) -> None:
        self.guard = members.guard()
        super().__init__(self.guard, clock, members.atoms)
        self._members = members

    def advance(self) -> Outcome:
        """Take steps 4 to 9, as far as the watermark allows."""
        self.republishes = self._members.builds
        return super().advance()

    def _published(self, matches: Collection[Match], outcome: Outcome) -> list[Event]:
        """Return the events that matches construct."""
        beside = Outcome()
        events = super()._published(matches, beside)
        outcome.add(told_once(beside, self._members))
        return events

    def _render_constructed(self, served: GuardedBatchResult) -> Outcome:
        return told_once(super()._render_constructed(served), self._members)


def told_once(outcome: Outcome, members: ShardPlans) -> Outcome:
    """Return the outcome without dead letters that another shard reports.

    Every shard builds the same: a dead letter without a subscription is reported by one of them.
    """
    letters = [
        each
        for each in outcome.letters
        if each.subscription is not None or members.tells_of_building(each)
    ]
    return replace(outcome, letters=letters)


LAYOUT = 3
"""The distribution over shards: 1 by subscription, 2 also by partition key, 3 all shards construct.

Written into every snapshot but those of layout 1.
"""

KEYS_PART = 2
"""The first layout that distributes events by partition keys."""


Millis = int
"""Processing time of a micro-batch, in milliseconds."""

MICROSECONDS = 1_000
"""Microseconds in a unit of processing time."""


@dataclass(frozen=True, slots=True)
class ShardConfig:
    """The number of a shard, the number of shards, and the pace of the clock."""

    number: int
    shards: int
    pace: ClockSettings


def step_of(messages: Iterable[bytes], now: Millis) -> bytes:
    """Pack a step: the messages of a micro-batch, sorted, and its processing time."""
    return pack((now, sorted(messages)))


class Shard:
    """The composites of a shard, its reorder buffer, and the clock. `token` names the state."""

    def __init__(self, setting: ShardConfig, source: Source) -> None:
        self.source = source
        self.token = blake2b(repr((setting, source.key)).encode(), digest_size=16).digest()
        self.layout = LAYOUT
        """The layout of the last snapshot."""
        self.clock = StreamClock(setting.pace.lateness, idle=setting.pace.idle, tick=MICROSECONDS)
        self._members = ShardPlans(setting.number, setting.shards)
        self._sequencer = ShardSequencer(self._members, self.clock)

    def run_step(self, step: bytes) -> Results:
        """Take one step and return its results."""
        now, raw = unpack(step)
        messages = [message_of(each) for each in raw]
        letters: list[Letter] = []
        if messages:
            letters += self.move_to(messages[0].version)
            letters += self._admit([hit for message in messages for hit in message.hits])
            spans = [message.span for message in messages if message.span is not None]
            if spans:
                self._sequencer.note_end(min(oldest for oldest, _ in spans))
            self.clock.note_events(now, max((newest for _, newest in spans), default=None))
        else:
            self.clock.run_on(now)
        outcome = self._sequencer.advance()
        self.token = blake2b(self.token + step, digest_size=16).digest()
        told = [
            each for each in deduplicate(outcome.matches) if self._members.tells(each.subscription)
        ]
        return Results(told, [*letters, *self._members.letters_of(outcome)])

    @property
    def has_shares(self) -> bool:
        """True if it serves a partition of a composite that several shards serve."""
        return self._members.is_partitioned

    def teller(self, telling: MemberOutput) -> MemberRenderer:
        """Return the renderer of members for the current subscriptions."""
        return self._members.teller(telling)

    def move_to(self, version: int) -> list[Letter]:
        """Move to the subscriptions of a version; return dead letters of those refused."""
        if self._members.version == version:
            return []
        return self._members.move_to(self.source.snapshot(version), self.clock.instant)

    def apply_config(self, pace: ClockSettings, source: Source | None) -> bool:
        """Apply a pace and, if given, a source of subscriptions; return True if a snapshot is
        needed.

        Earlier steps can be repeated only under the pace, source and layout under which they were
        taken.
        """
        is_other = self.clock.pace != pace or self.layout != LAYOUT
        self.clock.pace = pace
        if source is not None and source.key != self.source.key:
            self.source = source
            self._members.version = None
            is_other = True
        return is_other

    def next_instant(self) -> Instant | None:
        """Return the instant that the clock must pass for anything to happen without new events."""
        return self._sequencer.next_instant()

    def snapshot(self) -> bytes:
        """Return the whole state as packed plain data."""
        clock, members, sequencer = self.clock, self._members, self._sequencer
        held = [(plain_event(event), atoms) for event, atoms in sequencer.held()]
        times = (
            clock.newest,
            clock.arrived,
            clock.counted,
            clock.pace.lateness,
            clock.idle,
            sequencer.oldest,
            sequencer.has_begun,
        )
        self.layout = LAYOUT
        engine, guard = members.engine.snapshot(), sequencer.guard.snapshot()
        parts = (self.token, members.version, members.refused(), engine, held, times, guard)
        return pack((LAYOUT, *parts))

    def restore(self, raw: bytes) -> None:
        """Load a snapshot into a new shard."""
        found = unpack(raw)
        self.layout, self.token, version, refused, state, held, times, *guard = (
            found if isinstance(found[0], int) else (1, *found)
        )
        if version is not None:
            self.move_to(version)
            self._members.refuse(refused)
            self._members.engine.restore(state)
        clock, sequencer = self.clock, self._sequencer
        for plain, atoms in held:
            sequencer.hold(event_of_plain(plain), atoms)
        clock.newest, clock.arrived, clock.counted, clock.lateness, clock.idle, *begun = times
        sequencer.oldest, sequencer.has_begun = begun
        if guard:
            sequencer.guard.restore(guard[0])

    def _admit(self, hits: list[RoutedEvent]) -> Iterator[Letter]:
        """Buffer the events; late ones become dead letters, those already buffered are ignored."""
        mark = self.clock.instant
        by_event = {id(hit.event): hit for hit in hits}
        chosen = [by_event[id(event)] for event in in_canonical_order(hit.event for hit in hits)]
        timed = [hit for hit in chosen if hit.event.interval is not None]
        behind = 0 if mark is None else bisect_left(timed, mark, key=_end)
        self._sequencer.hold_all([(hit.event, hit.atoms) for hit in timed[behind:]])
        return (letter_of(late(hit.event)) for hit in timed[:behind] if hit.reports_late)


def _end(hit: RoutedEvent) -> Instant:
    assert hit.event.interval is not None
    return hit.event.interval.end
