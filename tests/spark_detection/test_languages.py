"""Every scenario of the other languages on Spark, many in one job.

Scenarios with the same definitions share a job: each has its events some time after those before it, so that no state
of one reaches another, and only what rings for its own events, or in its own time, is looked at.
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
from tocsin.catalog import Definition, Subscription
from tocsin.events.match import Match
from tocsin.spark import match
from tocsin.values.time import format_instant, parse_instant

APART = 18_000_000
HORIZON = "5s"
"""All scenarios are over within a second; what they leave behind is gone before the next one. Windows that come again
are as long as goes into the time between two."""

FILES = ("graph.toml", "concept.toml", "exmlql.toml")


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


def told(each: Match, number: int, scenario: Scenario) -> str | None:
    """A match as scenarios write it, if it belongs to the scenario of that number: by its events or, if it has none,
    because it lies between the beginning and the last event of the scenario."""
    assert each.end is not None
    assert each.detected is not None
    if each.events:
        is_mine = {name.partition("/")[0] for name in each.events} == {str(number)}
    else:
        ends = [parse_instant(event["endtime"]) for event in scenario.events]
        origin = scenario.subscription.options.get("origin")
        first = min(ends) if origin is None else parse_instant(str(origin))
        is_mine = first <= each.end - number * APART <= max(ends)
    names = (name.partition("/")[2] for name in each.events)
    return f"{(each.detected - number * APART) // 1000}: {' '.join(names)}".strip() if is_mine else None


def asked(number: int, each: Scenario) -> Subscription:
    """The subscription of a scenario under a name of its own; windows that come again begin with its own time."""
    options = dict(each.subscription.options)
    if "origin" in options:
        options["origin"] = format_instant(parse_instant(str(options["origin"])) + number * APART)
    return replace(each.subscription, id=f"s{number}", horizon=HORIZON, options=options)


@pytest.mark.parametrize("file", FILES)
def test_every_scenario(spark: SparkSession, file: str) -> None:
    for definitions, chosen in worlds(file).items():
        entries: list[Definition | Subscription] = [*definitions]
        entries += [asked(number, each) for number, each in enumerate(chosen)]
        lines = [line for number, each in enumerate(chosen) for line in moved(each.events, number)]
        frame = spark.createDataFrame([(line,) for line in lines], "value string").repartition(2)
        found = found_in(match(frame, entries, shards=2))
        for number, each in enumerate(chosen):
            mine = [told(one, number, each) for one in found if one.subscription == f"s{number}"]
            assert [text for text in mine if text is not None] == list(each.expected), each.name
