"""A shard over finite input with constructions: its events are evaluated again until none is new.

The same algorithm as in the local host.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from tempfile import SpooledTemporaryFile

from tocsin.engine.engine import Engine
from tocsin.events.event import Event
from tocsin.events.matches.constructed import SOURCE
from tocsin.events.matches.match import Match
from tocsin.events.order import in_canonical_order
from tocsin.plan.nodes.atoms import Atom
from tocsin.runtime.fan_out import FanOut
from tocsin.runtime.finite.republishing import republish_until_stable
from tocsin.runtime.guarded import GuardedEngine
from tocsin.runtime.outcome import Outcome
from tocsin.runtime.quiet_periods import Span
from tocsin.runtime.sequencer import FiniteSequencer
from tocsin.spark.match_task.messages import ShardMessage, message_of
from tocsin.spark.plans.shard_plans import ShardPlans
from tocsin.spark.shard.building import told_once
from tocsin.values.time import Instant

MAX_BYTES_IN_MEMORY = 64 << 20
"""Bytes of messages that a shard holds in memory; beyond it they are on disk."""

_Wanted = tuple[Event, Iterable[Atom]]
_SIZE = struct.Struct(">I")


class Repeated:
    """The messages of a shard, in canonical order, for repeated reading."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=MAX_BYTES_IN_MEMORY)  # noqa: SIM115
        self._built: set[tuple[str, str]] = set()

    def add(self, raw: bytes, message: ShardMessage) -> None:
        """Add the next message, as bytes and decoded."""
        self._file.write(_SIZE.pack(len(raw)) + raw)
        self._built.update(
            hit.event.identity for hit in message.hits if hit.event.source.startswith(SOURCE)
        )

    def detect(
        self, members: ShardPlans, spans: Sequence[Span], until: Instant | None, forget_every: int
    ) -> Outcome:
        """Return the result of the messages and of all constructed events, as far as this shard
        reports it.
        """
        last = Outcome()

        def evaluate(further: Sequence[Event], fan_out: FanOut) -> list[Match]:
            nonlocal last
            new = [event for event in further if event.identity not in self._built]
            last = self._evaluated(members, spans, until, forget_every, new, fan_out)
            return last.matches

        found, letters = republish_until_stable(evaluate, members.builders())
        last.matches = [match for match in found if members.tells(match.subscription)]
        last.add(told_once(Outcome(letters=letters), members))
        return last

    def _evaluated(
        self,
        members: ShardPlans,
        spans: Sequence[Span],
        until: Instant | None,
        forget_every: int,
        further: Sequence[Event],
        fan_out: FanOut,
    ) -> Outcome:
        """Evaluate all messages and some further events."""
        guard = _guard_of(members, fan_out)
        served = guard.match(in_canonical_order(further))
        outcome = Outcome()
        outcome.add(served.diagnostics)
        outcome.add(told_once(guard.render_atomic_matches(served.atomic_matches), members))
        whole = [*spans, *((each.interval.end,) * 2 for each in further if each.interval)]
        sequencer = FiniteSequencer(guard, forget_every=forget_every)
        if whole:
            lows, highs = zip(*whole, strict=True)
            outcome.add(sequencer.begin(min(lows), max(highs), whole))
        for event, atoms in merge(self._wanted(members), served.relevant, key=_order):
            outcome.add(sequencer.serve(event, atoms))
        outcome.add(sequencer.end(until))
        return outcome

    def _wanted(self, members: ShardPlans) -> Iterator[_Wanted]:
        self._file.seek(0)
        while head := self._file.read(_SIZE.size):
            (size,) = _SIZE.unpack(head)
            for hit in message_of(self._file.read(size)).hits:
                yield hit.event, members.atoms(hit.atoms)


def _guard_of(members: ShardPlans, fan_out: FanOut) -> GuardedEngine:
    """Return a new engine, without state, with the plans of a shard."""
    plans, engine = members.plans(), Engine(contains_faults=True)
    for id, plan in plans.items():
        engine.add(id, plan)
    return GuardedEngine(engine, lambda: plans, fan_out, suspends=False)


def _order(wanted: _Wanted) -> tuple[Instant, Instant, str, str]:
    return wanted[0].order
