"""Every scenario of the other languages on Spark, many in one job.

Scenarios with the same definitions share a job: each has its events some time after those before
it, so that no state of one reaches another, and only what rings for its own events is looked at.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.scenarios.loading import Scenario, scenarios
from tests.spark.scenes import found_in
from tests.timelines import has_clock
from tocsin.catalog import Definition, Subscription, Surroundings, compile_subscription
from tocsin.events.matches.match import Match
from tocsin.spark import match
from tocsin.values.time import format_instant, parse_instant

APART = 18_000_000
HORIZON = "5s"
"""All scenarios are over within a second; what they leave behind is gone before the next one."""

FILES = ("selector.toml", "graph.toml", "concept.toml", "exmlql.toml")


def worlds(file: str) -> dict[tuple[Definition, ...], list[Scenario]]:
    """The scenarios of a file by their definitions."""
    found = defaultdict(list)
    for each in scenarios(file):
        found[each.definitions].append(each)
    return found


def moved(events: Iterable[dict[str, Any]], number: int) -> list[str]:
    """The events of a scenario as lines, with ids and times of their own."""
    lines = []
    for event in events:
        times = {
            name: format_instant(parse_instant(event[name]) + number * APART)
            for name in ("time", "endtime")
            if name in event
        }
        lines.append(json.dumps({**event, "id": f"{number}/{event['id']}", **times}))
    return lines


def told(each: Match, number: int) -> str | None:
    """A match as scenarios write it, if it belongs to the scenario of that number."""
    assert each.detected is not None
    if {name.partition("/")[0] for name in each.events} - {str(number)}:
        return None
    names = (name.partition("/")[2] for name in each.events)
    return f"{(each.detected - number * APART) // 1000}: {' '.join(names)}".strip()


def asked(number: int, each: Scenario) -> Subscription:
    """The subscription of a scenario under a name of its own."""
    return replace(each.subscription, id=f"s{number}", horizon=each.subscription.horizon or HORIZON)


def jobs(chosen: list[Scenario], definitions: tuple[Definition, ...]) -> list[list[Scenario]]:
    """Which scenarios share a job; one with windows that come again, or with times of its own, has
    its own.
    """
    light = Surroundings.of(definitions)
    fixed = [
        has_clock(compile_subscription(each.subscription, light).pattern)
        or "1970" in each.subscription.expression
        for each in chosen
    ]
    alone = [[each] for each, own in zip(chosen, fixed, strict=True) if own]
    return [[each for each, own in zip(chosen, fixed, strict=True) if not own], *alone]


@pytest.mark.parametrize("file", FILES)
def test_every_scenario(spark: SparkSession, file: str) -> None:
    for definitions, world in worlds(file).items():
        for chosen in jobs(world, definitions):
            entries: list[Definition | Subscription] = [*definitions]
            entries += [asked(number, each) for number, each in enumerate(chosen)]
            lines = [
                line for number, each in enumerate(chosen) for line in moved(each.events, number)
            ]
            frame = spark.createDataFrame([(line,) for line in lines], "value string").repartition(
                2
            )
            found = found_in(match(frame, entries, shards=2))
            for number, each in enumerate(chosen):
                own = [
                    one
                    for one in found
                    if one.subscription == f"s{number}" and told(one, number) is not None
                ]
                assert [told(one, number) for one in own] == list(each.expected), each.name
                if "outputs" in each.facts:
                    outputs = [text for one in own for text in one.outputs]
                    assert outputs == each.facts["outputs"], each.name
