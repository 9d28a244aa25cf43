"""What a step writes into the state store: itself and the head, whatever is there already."""

from __future__ import annotations

from typing import Any

import pytest

from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import NAMES, line
from tests.spark.shard.test_stream import THEN
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.plans.shard_plans import shard_keys
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.shard import state_store
from tocsin.spark.shard.state_apis import STATE
from tocsin.spark.shard.state_store import Head, StoredShard

HEAD, LIST, SNAPSHOT, FIRST_STEP = (0,), (1,), (2,), (3,)


def begun() -> FakeHost:
    """A shard that has a snapshot and no steps."""
    host = FakeHost(FixedList.of([*NAMES, THEN]), 1, ClockSettings(2_000_000))
    host.batch([line("a1", "a", 1)])
    return host


def parts_of(host: FakeHost) -> dict[Any, Any]:
    return dict(host.tester.peekMapState(STATE, shard_keys(1)[0]))


def test_a_step_writes_itself_and_the_head_alone() -> None:
    host = begun()
    assert set(parts_of(host)) == {HEAD, LIST, SNAPSHOT}
    for number in range(5):
        before = parts_of(host)
        host.batch([line(f"b{number}", "b", 2 + number)])
        after = parts_of(host)
        changed = {key for key, value in after.items() if before.get(key) != value}
        assert changed == {HEAD, (FIRST_STEP[0] + number,)}


def test_a_snapshot_leaves_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    host = begun()
    for number in range(3):
        host.batch([line(f"b{number}", "b", 2 + number)])
    monkeypatch.setattr(state_store, "LOG_BYTES", 0)
    monkeypatch.setattr(state_store, "LOG_FACTOR", 0)
    host.batch([line("b3", "b", 5)])
    assert set(parts_of(host)) == {HEAD, LIST, SNAPSHOT}


def test_what_is_written_is_read() -> None:
    host = begun()
    host.batch([line("b1", "b", 2)])
    host.batch([line("b2", "b", 3)])
    stored = StoredShard(_Parts(parts_of(host)))
    head = stored.head()
    assert isinstance(head, Head)
    steps = list(stored.steps(head))
    assert (head.steps, head.shards, head.alarm) == (2, 1, None)
    assert head.log_bytes == sum(len(step) for step in steps if step is not None)
    assert head.base_bytes == len(stored.snapshot() or b"")


class _Parts:
    def __init__(self, parts: dict[Any, Any]) -> None:
        self._parts = parts

    def get(self, number: int) -> Any:
        """As a map state of Spark does."""
        row = self._parts.get((number,))
        return None if row is None else bytes(row[0])
