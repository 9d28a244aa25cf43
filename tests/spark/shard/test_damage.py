"""State that cannot be read says what to do, and an event or composite that raises in a shard harms
no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import NAMES, ids, line, local
from tests.spark.shard.test_stream import SILENCE, THEN
from tocsin.engine.engine import Engine
from tocsin.errors import StateProblem
from tocsin.events.event import Event
from tocsin.plan.semantics.match_rendering import MatchRenderer
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.plans.shard_plans import shard_keys
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.shard.state_apis import STATE

LINES = [
    line("a1", "a", 1),
    line("b1", "b", 3),
    line("a2", "a", 10),
    line("b2", "b", 12),
    line("z1", "z", 30),
]


def host_of(*subscriptions: Any) -> FakeHost:
    return FakeHost(FixedList.of([*NAMES, *subscriptions]), 1, ClockSettings(2_000_000))


@pytest.mark.parametrize("junk", [b"", b"junk", b"\x80\x00"], ids=["empty", "junk", "binary"])
@pytest.mark.parametrize("part", [0, 2, 3], ids=["head", "snapshot", "step"])
def test_a_damaged_state_says_what_to_do(junk: bytes, part: int) -> None:
    host = host_of(THEN)
    host.batch(LINES[:1])
    host.batch(LINES[1:2])
    (key,) = shard_keys(1)
    parts = host.tester.peekMapState(STATE, key)
    host.tester.updateMapState(STATE, key, {**parts, (part,): (junk,)})
    host.lose_workers()
    with pytest.raises(
        StateProblem, match=r"StateStoreError: the state of shard 0 cannot be read.*new checkpoint"
    ):
        host.batch(LINES[2:])


def test_an_event_that_raises_in_a_shard_is_told_and_the_others_are_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    detect = Engine.detect

    def raising(engine: Engine, event: Event, atoms: Iterable[Any]) -> Any:
        if event.id == "b1":
            raise ZeroDivisionError("detect")
        return detect(engine, event, atoms)

    monkeypatch.setattr(Engine, "detect", raising)
    host = host_of(THEN, SILENCE)
    for each in LINES:
        host.batch([each])
        host.lose_workers()  # the same steps, taken again, raise again and harm nobody again
    monkeypatch.setattr(Engine, "detect", detect)
    without = local([*NAMES, THEN, SILENCE], [each for each in LINES if '"b1"' not in each])
    assert ids(host.matches) == ids(without)
    (letter,) = host.letters
    assert letter.code == "InternalError"
    assert '"b1"' in letter.input
    assert "tocsin/" in letter.reason


def test_a_composite_that_cannot_be_told_is_told_as_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = MatchRenderer.match

    def raising(told: MatchRenderer, subscription: str, *given: Any) -> Any:
        if subscription == "then":
            raise KeyError("render")
        return match(told, subscription, *given)

    expected = local([*NAMES, SILENCE], LINES)
    monkeypatch.setattr(MatchRenderer, "match", raising)
    host = host_of(THEN, SILENCE)
    host.batch(LINES)
    assert ids(host.matches) == ids(expected)
    assert {letter.code for letter in host.letters} == {"InternalError"}
    assert all("'then'" in letter.reason for letter in host.letters)
    assert len(host.letters) == 2
