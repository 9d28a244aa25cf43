"""Real streams: any cut and any order within the lateness, restarts, a catalog that changes, idle
timers, scenarios.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.scenarios.loading import scenarios, shown
from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import (
    NAMES,
    PATTERNS,
    REGIONS,
    Stream,
    cut,
    ids,
    is_inline,
    line,
    local,
    own_world,
    random_lines,
    rules,
    shuffled_within,
)
from tests.waiting import wait_until
from tocsin.catalog import Subscription, create_catalog
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.plans.sources import FixedList

OPSL = [each for each in scenarios("opsl.toml") if not is_inline(each) and "over" not in each.facts]
SUBSCRIPTIONS = [
    *NAMES,
    *(Subscription(id, "opsl", text, horizon="1h") for id, text in PATTERNS.items()),
    *rules(),
]
ATOM = Subscription("atom", "selector", "kind = 'b'")
THEN = Subscription("then", "opsl", "=|(A; 5s)B")
SILENCE = Subscription("silence", "opsl", "!(A; 4s)B")
LAST = line("last", "z", 30_000)


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> Iterator[Stream]:
    scene = Stream(spark, tmp_path)
    yield scene
    if scene.query is not None:
        scene.query.stop()


def test_scenarios_and_random_worlds_restarted_on_the_way(stream: Stream) -> None:
    """A dozen scenarios and random events, out of order within the lateness, cut anywhere,
    restarted once.

    The fake host is given the same micro-batches and must say the same, batch by batch.
    """
    chance = random.Random(4)
    worlds = {
        f"s{number}": own_world(number, OPSL[number])
        for number in chance.sample(range(len(OPSL)), 12)
    }
    told = [text for world in worlds.values() for text in world.lines]
    lines = shuffled_within(chance, random_lines(chance, 80), 3)
    entries = [
        *SUBSCRIPTIONS,
        ATOM,
        *REGIONS,
        *(name for world in worlds.values() for name in world.names),
    ]
    entries += [world.subscription for world in worlds.values()]
    stream.settings = {"lateness": "200s", "shards": 3}
    pieces = [told, *cut(chance, lines, 3), [LAST]]
    for piece in pieces[:3]:
        stream.put(piece)
    stream.run(entries)
    for piece in pieces[3:]:
        stream.put(piece)
    stream.run(entries)
    assert stream.all_letters() == []
    found = defaultdict(list)
    for each in sorted(stream.all_matches(), key=lambda each: each.order):
        found[each.subscription].append(shown(each))
    assert {id: tuple(found[id]) for id in worlds} == {
        id: world.expected for id, world in worlds.items()
    }
    others = [each for each in stream.all_matches() if each.subscription not in worlds]
    assert ids(others) == ids(local([*SUBSCRIPTIONS, ATOM], [*told, *lines, LAST]))
    fake = FakeHost(FixedList.of(entries), 3, ClockSettings(200_000_000))
    for number, piece in enumerate(pieces):
        fake.matches.clear()
        fake.batch(piece)
        assert ids(fake.matches) == ids(stream.matches.get(number, [])), f"micro-batch {number}"


def test_a_live_catalog_late_rows_and_repeats(stream: Stream, tmp_path: Path) -> None:
    """One running query: subscriptions come and go, those that stay keep their state, late rows are
    dead letters.
    """
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    catalog.add(*NAMES, THEN, ATOM)
    stream.settings = {"lateness": "2s", "deduplicate": "10 minutes"}
    stream.start(catalog)
    stream.put([line("a1", "a", 1), line("z1", "z", 3.5)])
    stream.settle()
    catalog.add(SILENCE)
    catalog.remove("atom")
    stream.put([line("b1", "b", 4), line("a1", "a", 1), line("a2", "a", 5), line("z2", "z", 8)])
    stream.settle()
    stream.put([line("b0", "b", 5.5), line("z3", "z", 30)])
    stream.settle()
    rung = sorted((each.subscription, each.events) for each in stream.all_matches())
    assert rung == [("silence", ("a2",)), ("then", ("a1", "b1"))]
    assert [(letter.reason, letter.input) for letter in stream.all_letters()] == [
        ("late", '{"source": "s", "id": "b0"}')
    ]


def test_a_list_that_changes_between_two_runs_keeps_what_stays(stream: Stream) -> None:
    stream.settings = {"lateness": "2s"}
    stream.put([line("a1", "a", 1), line("z1", "z", 3.5)])
    stream.run([*NAMES, THEN, SILENCE])
    stream.put(
        [
            line("b1", "b", 4),
            line("a2", "a", 10),
            line("b2", "b", 11),
            line("a3", "a", 15),
            line("z2", "z", 30),
        ]
    )
    stream.run([*NAMES, THEN, replace(THEN, id="newcomer")])
    rung = sorted((each.subscription, each.events) for each in stream.all_matches())
    assert rung == [("newcomer", ("a2", "b2")), ("then", ("a1", "b1")), ("then", ("a2", "b2"))]


def test_timers_of_an_idle_stream_fire(stream: Stream) -> None:
    stream.settings = {"lateness": "1s", "idle": "2s"}
    stream.put([line("a1", "a", 1)])
    stream.start([*NAMES, SILENCE], processingTime="500 milliseconds")

    def has_rung() -> bool:
        assert stream.query is not None
        assert stream.query.exception() is None
        return bool(stream.all_matches())

    wait_until(has_rung)
    assert [(each.subscription, each.events) for each in stream.all_matches()] == [
        ("silence", ("a1",))
    ]


def test_one_event_of_a_wrong_clock_makes_no_other_late(stream: Stream) -> None:
    """It reaches no shard and moves no time, but rings for itself; a replay that turns the limit
    off is moved.
    """
    wrong = line("wrong", "b", 80 * 366 * 86_400)
    stream.settings = {"lateness": "2s", "shards": 2}
    for piece in ([line("a1", "a", 0), wrong], [line("b1", "b", 3)], [LAST]):
        stream.put(piece)
    stream.run([*NAMES, ATOM, THEN])
    assert [
        (each.subscription, each.events)
        for each in stream.all_matches()
        if each.subscription == "then"
    ] == [("then", ("a1", "b1"))]
    assert {each.events for each in stream.all_matches() if each.subscription == "atom"} == {
        ("wrong",),
        ("b1",),
    }
    assert [letter.code for letter in stream.all_letters()] == ["TooFarAhead"]


def test_a_replay_allows_every_time(stream: Stream) -> None:
    start = 80 * 366 * 86_400
    stream.settings = {"lateness": "0s", "shards": 2, "ahead": None}
    for piece in (
        [line("a1", "a", start)],
        [line("b1", "b", start + 3)],
        [line("z", "z", start + 60)],
    ):
        stream.put(piece)
    stream.run([*NAMES, THEN])
    assert [each.events for each in stream.all_matches()] == [("a1", "b1")]
    assert stream.all_letters() == []
