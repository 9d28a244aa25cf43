"""Every scenario of every language as a stream: one event in each micro-batch, workers lost after
each, and then nothing but time.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.scenarios.loading import Scenario, shown
from tests.scenarios.test_scenarios import LATENESS, SCENARIOS, end_of, told_over
from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import Stream
from tests.spark.shard.test_languages import APART, FILES, asked, jobs, moved, told, worlds
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.plans.sources import FixedList
from tocsin.values.time import format_instant, parse_instant

_MILLISECOND = 1_000


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_on_the_fake_host(scenario: Scenario) -> None:
    source = FixedList.of([*scenario.definitions, scenario.subscription])
    # Processing time is in milliseconds, as scenarios are: the end comes one microsecond after one.
    pace = ClockSettings(LATENESS + _MILLISECOND - 1, idle=_MILLISECOND)
    host = FakeHost(source, 2, pace)
    host.wait_until(1)
    for event in scenario.events:
        host.batch([json.dumps(event)])
        host.lose_workers()
    newest = max((parse_instant(event["endtime"]) for event in scenario.events), default=0)
    missing = parse_instant(end_of(scenario)) - 1 + _MILLISECOND - newest
    host.wait_until(1 + max(1, missing // _MILLISECOND))
    assert sorted(shown(match) for match in host.matches) == sorted(scenario.expected)
    assert told_over(host.letters) == scenario.facts.get("over", False)
    if "outputs" in scenario.facts:
        told_outputs = [text for match in host.matches for text in match.outputs]
        assert sorted(told_outputs) == sorted(scenario.facts["outputs"])


@pytest.mark.parametrize("file", FILES)
def test_on_spark(spark: SparkSession, tmp_path: Path, file: str) -> None:
    """As many scenarios of a language as can share a stream, through a restart in their midst."""
    shared = [
        (definitions, max(jobs(world, definitions), key=len))
        for definitions, world in worlds(file).items()
    ]
    definitions, chosen = max(shared, key=lambda each: len(each[1]))
    lines = [moved(each.events, number) for number, each in enumerate(chosen)]
    beyond = format_instant((len(chosen) + 1) * APART)
    end = json.dumps({"id": "end/", "source": "s", "type": "end", "time": beyond})
    entries = [*definitions, *(asked(number, each) for number, each in enumerate(chosen))]
    stream = Stream(spark, tmp_path, {"lateness": "2s", "shards": 2})
    middle = len(lines) // 2
    for some in (lines[:middle], [*lines[middle:], [end]]):
        stream.put(line for each in some for line in each)
        stream.run(entries)
    found = stream.all_matches()
    for number, each in enumerate(chosen):
        own = [one for one in found if one.subscription == f"s{number}"]
        rung = [text for one in own if (text := told(one, number)) is not None]
        assert sorted(rung) == sorted(each.expected), each.name
