"""Composites whose events a key parts: on every shard, each event on one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import NAMES, ids, line, local
from tocsin.catalog import Definition, Subscription
from tocsin.errors import StateProblem
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.match_task.messages import MESSAGE, message_of
from tocsin.spark.match_task.serde import pack, unpack
from tocsin.spark.plans.sources import FixedList
from tocsin.spark.shard.shard import Shard

SECOND = 1_000_000
PAIR = Subscription("pair", "rule", "WHEN A THEN B WITHIN 5s FOR EACH v")
MISSING = Subscription("missing", "rule", "WHEN A THEN NO B WITHIN 5s FOR EACH v")
WHOLE = Subscription("whole", "rule", "WHEN A THEN B WITHIN 5s")


def host_of(*entries: Subscription | Definition, shards: int = 4, pace: ClockSettings) -> FakeHost:
    return FakeHost(FixedList.of([*NAMES, *entries]), shards, pace)


def trucks(count: int) -> list[str]:
    """Each truck leaves, and every third arrives."""
    left = [line(f"a{each}", "a", each / 100, v=f"truck {each}") for each in range(count)]
    came = [line(f"b{each}", "b", 1, v=f"truck {each}") for each in range(0, count, 3)]
    return [*left, *came]


def hits_of(host: FakeHost, lines: Sequence[str]) -> list[list[str]]:
    """The events that the match task sends to each shard."""
    sent: dict[int, list[str]] = {}
    for row in host.sent(lines):
        if row["payload"].startswith(MESSAGE):
            hits = message_of(row["payload"]).hits
            sent.setdefault(row["shard"], []).extend(hit.event.id for hit in hits)
    return list(sent.values())


def test_an_event_that_keyed_composites_want_goes_to_one_shard() -> None:
    lines = trucks(60)
    host = host_of(PAIR, MISSING, pace=ClockSettings(2 * SECOND))
    sent = hits_of(host, lines)
    assert sorted(event for shard in sent for event in shard) == sorted(
        [f"a{each}" for each in range(60)] + [f"b{each}" for each in range(0, 60, 3)]
    )
    assert len(sent) == 4
    assert min(map(len, sent)) > 8
    beside = hits_of(host_of(PAIR, WHOLE, pace=ClockSettings(2 * SECOND)), lines)
    assert max(map(len, beside)) == 80, "one shard wants all of them"
    assert sum(map(len, beside)) < 2 * 80, "what has its share there is sent once"


def test_every_shard_has_its_share_and_its_clock() -> None:
    """An absence rings for keys of all shards when time alone goes on."""
    lines = trucks(40)
    host = host_of(PAIR, MISSING, WHOLE, pace=ClockSettings(2 * SECOND, idle=SECOND))
    host.batch(lines[:17], lines[17:])
    host.lose_workers()
    host.wait_until(20_000)
    assert ids(host.matches) == ids(local([*NAMES, PAIR, MISSING, WHOLE], lines))


def test_a_late_event_and_a_window_that_is_over_are_told_once() -> None:
    over = Subscription(
        "over",
        "opsl",
        "=|($x;; 6s)(=|(2025-01-01T00:00:00Z; 1h)($y;)) WHERE $x;.v = $y;.v, $x; = A, $y; = B",
    )
    host = host_of(PAIR, over, pace=ClockSettings(2 * SECOND))
    host.batch([line("a1", "a", 1, v=1), line("z1", "z", 30)])
    host.batch([line("b1", "b", 2, v=1), line("z2", "z", 40)])
    told = [(letter.code, letter.reason == "late") for letter in host.letters]
    assert told == [("WindowInPast", False), ("LateEvent", True)]


def test_a_key_that_is_missing_takes_part_where_the_meaning_says_so() -> None:
    """Under FOR EACH it takes no part; with WHERE nothing ends its wait, wherever it waits."""
    where = Subscription(
        "where", "opsl", "!($x;; 4s)$y; WHERE $x;.v = $y;.v, $x; = A, $y; = B", horizon="1h"
    )
    lines = [
        line("a1", "a", 1),
        line("a2", "a", 1, v=[1]),
        line("a3", "a", 1, v=1),
        line("a4", "a", 1, v="1"),
        line("b1", "b", 2, v=1.0),
        line("b2", "b", 2),
        line("z", "z", 30),
    ]
    host = host_of(MISSING, where, pace=ClockSettings(2 * SECOND))
    host.batch(lines)
    rung = sorted((each.subscription, each.events[0]) for each in host.matches)
    assert rung == [("missing", "a4"), ("where", "a1"), ("where", "a2"), ("where", "a4")]


def begin_formerly(host: FakeHost, lines: Sequence[str], patch: pytest.MonkeyPatch) -> None:
    """A micro-batch whose state is written as before events were spread by keys."""
    snapshot = Shard.snapshot
    patch.setattr(Shard, "snapshot", lambda shard: pack(unpack(snapshot(shard))[1:]))
    host.batch(lines)
    host.lose_workers()
    patch.undo()


def test_a_checkpoint_from_before_keys_goes_on_where_no_composite_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = host_of(WHOLE, pace=ClockSettings(2 * SECOND))
    begin_formerly(host, [line("a1", "a", 1), line("z1", "z", 3.5)], monkeypatch)
    host.batch([line("b1", "b", 4), line("z2", "z", 30)])
    assert [each.events for each in host.matches] == [("a1", "b1")]


def test_a_checkpoint_from_before_keys_is_refused_where_events_would_be_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = host_of(PAIR, pace=ClockSettings(2 * SECOND))
    begin_formerly(host, [line("a1", "a", 1, v=1), line("z1", "z", 3.5)], monkeypatch)
    with pytest.raises(StateProblem, match="by their keys") as refused:
        host.batch([line("b1", "b", 4, v=1), line("z2", "z", 30)])
    assert refused.value.code == "LayoutError"
