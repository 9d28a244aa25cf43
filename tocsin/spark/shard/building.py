"""The order of a shard, as for any live host. Every shard handles constructed events; one reports
faults.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.runtime.outcome import GuardedBatchResult, Outcome
from tocsin.runtime.sequencer import Sequencer
from tocsin.runtime.stream_clock import StreamClock
from tocsin.spark.plans.shard_plans import ShardPlans


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
