"""Batch DataFrames: every scenario of the OPSL spec on Spark, and back-tests with the answer of the
local host.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

from pyspark.sql import SparkSession

from tests.scenarios.loading import scenarios, shown
from tests.spark.scenes import found_in
from tests.spark.shard.scenes import (
    NAMES,
    PATTERNS,
    REGIONS,
    is_inline,
    line,
    local,
    own_world,
    random_lines,
    rules,
)
from tocsin.catalog import Subscription, compile_subscription
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.spark import match, run_match
from tocsin.values.time import parse_instant

OPSL = [each for each in scenarios("opsl.toml") if "over" not in each.facts]
"""What is over depends on the first event of all: these have a job of their own."""
OVER = [each for each in scenarios("opsl.toml") if "over" in each.facts]
SUBSCRIPTIONS = [
    *(Subscription(id, "opsl", text, horizon="1h") for id, text in PATTERNS.items()),
    *rules(),
]
ATOM = Subscription("atom", "selector", "kind = 'b'")


def test_every_scenario_in_one_job(spark: SparkSession) -> None:
    """Each has a source of its own, and its atoms look at that source only."""
    worlds = {
        f"s{number}": own_world(number, each)
        for number, each in enumerate(OPSL)
        if not is_inline(each)
    }
    assert len(worlds) > 50
    lines = [line for world in worlds.values() for line in world.lines]
    random.Random(1).shuffle(lines)
    entries = [*REGIONS, *(name for world in worlds.values() for name in world.names)]
    entries += [world.subscription for world in worlds.values()]
    frame = spark.createDataFrame([(line,) for line in lines], "value string").repartition(5)
    found = defaultdict(list)
    for each in found_in(match(frame, entries, shards=3)):
        found[each.subscription].append(shown(each))
    assert {id: tuple(found[id]) for id in worlds} == {
        id: world.expected for id, world in worlds.items()
    }


def test_scenarios_with_conditions_of_their_own(spark: SparkSession) -> None:
    chosen = [each for each in OPSL if is_inline(each)]
    assert chosen
    for scenario in chosen:
        world = own_world(0, scenario)
        frame = spark.createDataFrame([(line,) for line in world.lines], "value string")
        found = found_in(match(frame, [*REGIONS, *world.names, world.subscription]))
        assert tuple(shown(each) for each in found) == scenario.expected, scenario.name


def test_a_file_gives_what_the_local_host_gives(spark: SparkSession, tmp_path: Path) -> None:
    """Atoms, composites, repeated events, malformed lines, and events that come late in the order
    of lines.
    """
    lines = random_lines(random.Random(2), 120)
    lines += [*lines[:5], "{", line("too late", "a", 3)]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(lines))
    entries = [*NAMES, *SUBSCRIPTIONS, ATOM]
    plans = {each.id: compile_subscription(each, NAMES) for each in [*SUBSCRIPTIONS, ATOM]}
    until = parse_instant("2026-01-01T00:01:30Z")
    for lateness in (None, 2_000_000):
        expected = read_events(path.read_bytes().splitlines(keepends=True), lateness)
        matches, letters = run_match(
            entries, str(path), lateness=lateness, until=until, session=spark, part_bytes=2000
        )
        assert matches == match_events(plans, expected, until)
        assert letters == expected.dead_letters


def test_time_passes_also_where_nothing_happens(spark: SparkSession) -> None:
    """A window that stays silent rings although no shard is sent an event; the clock stops where it
    is told to.
    """
    silent = [*NAMES, Subscription("silent", "opsl", "!(2026-01-01T00:00:01Z; 10s)A")]
    frame = spark.createDataFrame([(line("z", "z", 1),)], "value string")
    [rung] = found_in(match(frame, silent))
    assert [rung.line()] == [each.line() for each in local(silent, [line("z", "z", 1)])]
    assert found_in(match(frame, silent, until="2026-01-01T00:00:10Z")) == []


def test_windows_that_were_over_before_the_first_event_are_dead_letters(
    spark: SparkSession, tmp_path: Path
) -> None:
    worlds = {f"s{number}": own_world(number, each) for number, each in enumerate(OVER)}
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(line for world in worlds.values() for line in world.lines))
    entries = [*REGIONS, *(name for world in worlds.values() for name in world.names)]
    entries += [world.subscription for world in worlds.values()]
    matches, letters = run_match(entries, str(path), session=spark)
    assert matches == []
    assert sorted((letter.code, letter.input) for letter in letters) == [
        ("WindowInPast", id) for id in sorted(worlds)
    ]


def test_leaps_and_wrong_clocks_are_those_of_the_local_host(
    spark: SparkSession, tmp_path: Path
) -> None:
    """What lies in a pause is decided by all events, also by those that no shard wants and that
    other tasks see.
    """
    silent = Subscription("silent", "concept", "not (selector{ kind = 'a' }) (1 s)")
    pair = Subscription("pair", "opsl", "=|(selector{ kind = 'a' }; 5s)selector{ kind = 'b' }")
    seconds = [0, 3, 900, 1850, 3400, 3500, 9000, 9100]
    lines = [line(f"e{second}", "abz"[number % 3], second) for number, second in enumerate(seconds)]
    lines.insert(4, line("wrong", "b", 3e8))
    (tmp_path / "events.jsonl").write_text("\n".join(lines) + "\n")
    day = 86_400_000_000
    found, letters = run_match(
        [silent, pair], str(tmp_path / "events.jsonl"), ahead=day, part_bytes=300, session=spark
    )
    judged = read_events([each.encode() for each in lines], ahead=day)
    plans = {each.id: compile_subscription(each) for each in (silent, pair)}
    expected = match_events(plans, judged)
    assert [each.line() for each in found] == [each.line() for each in expected]
    assert [(each.code, each.line) for each in letters] == [("TooFarAhead", 5)]
    spans = [(each.end or 0) - (each.start or 0) for each in found if each.subscription == "silent"]
    assert [span // 1_000_000 for span in spans if span > 1_000_000] == [1549, 5500]
    assert spans.count(1_000_000) > 1500
