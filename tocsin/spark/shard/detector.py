"""The detector of composites in the stateful operator: messages and timers in, packed results out.

It is the same for every interface of Spark for state, which it sees as a `KeyedState`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.match_task.messages import MESSAGE
from tocsin.spark.output.member_output import IDS_ONLY, MemberOutput
from tocsin.spark.plans.shard_plans import shard_keys
from tocsin.spark.plans.sources import Source
from tocsin.spark.shard.shard import Millis, ShardConfig, step_of
from tocsin.spark.shard.state_store import KeyedState, ShardStore, StoredShard


@dataclass(frozen=True, slots=True)
class Detector:
    """Detector of the composites of shards. Results of match tasks pass through unchanged."""

    source: Source
    shards: int
    pace: ClockSettings
    output: MemberOutput = IDS_ONLY

    def take_rows(
        self, key: Any, payloads: Iterable[bytes], now: Millis, state: KeyedState
    ) -> Iterator[bytes]:
        """Take the step of a micro-batch with rows for the shard of a key."""
        messages = []
        for payload in payloads:
            if payload.startswith(MESSAGE):
                messages.append(payload)
            else:
                yield payload
        if messages:
            yield from self._step(key, messages, now, state, fired=False)

    def take_timer(self, key: Any, now: Millis, state: KeyedState) -> Iterator[bytes]:
        """Take the step of a micro-batch in which the timer of the shard is due."""
        return self._step(key, [], now, state, fired=True)

    def _step(
        self, key: Any, messages: list[bytes], now: Millis, state: KeyedState, *, fired: bool
    ) -> Iterator[bytes]:
        setting = ShardConfig(shard_keys(self.shards).index(key[0]), self.shards, self.pace)
        store = ShardStore(StoredShard(state))
        head, step = store.head(setting), step_of(messages, now)
        source = self.source if messages else None
        taken = store.take(head, setting, source, self.output, step)
        known = head.alarm if head is not None and not fired else None
        alarm = _next_alarm(known, taken.due, now)
        state.set_timer(known, alarm)
        store.save(head, setting, step, taken, alarm)
        yield from taken.payloads


def _next_alarm(known: Millis | None, due: Millis | None, now: Millis) -> Millis | None:
    """Return the time of the one timer: keep an earlier one, replace a later one.

    A timer that fires too early is set again.
    """
    if due is None or (known is not None and known <= due):
        return known
    return max(due, now + 1)
