"""Every scenario of rules on Spark, in one job: each has its events some days after those before it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from tests.scenarios.loading import Scenario, scenarios
from tests.spark.scenes import found_in
from tests.spark.shard.test_languages import jobs
from tocsin import rule
from tocsin.catalog import Definition, Subscription
from tocsin.spark import AbsentColumnWarning, match
from tocsin.values.time import format_instant, parse_instant

APART = 10 * 86_400_000_000
"""Longer than all windows and the horizon."""


def moved(each: Scenario, number: int) -> list[dict[str, object]]:
    """The events of a scenario with ids and times of their own."""
    return [
        event
        | {
            "id": f"{number}/{event['id']}",
            "time": format_instant(parse_instant(event["time"]) + number * APART),
            "endtime": format_instant(parse_instant(event["endtime"]) + number * APART),
        }
        for event in each.events
    ]


def test_every_scenario(spark: SparkSession) -> None:
    world = list(scenarios("rule.toml"))
    definitions = tuple({each.name: each for one in world for each in one.definitions}.values())
    for chosen in jobs(world, definitions):
        entries: list[Definition | Subscription] = [*definitions]
        entries += [replace(each.subscription, id=f"s{n}") for n, each in enumerate(chosen)]
        lines = [event for n, each in enumerate(chosen) for event in moved(each, n)]
        rows = [(_json(line),) for line in lines]
        frame = spark.createDataFrame(rows, "value string").repartition(2)
        found = found_in(match(frame, entries, shards=2))
        for number, each in enumerate(chosen):
            own = [one for one in found if one.subscription == f"s{number}"]
            mine = [one for one in own if all(i.startswith(f"{number}/") for i in one.events)]
            told = [
                f"{((one.detected or 0) - number * APART) // 1000}:"
                f" {' '.join(i.partition('/')[2] for i in one.events)}"
                for one in mine
            ]
            assert told == list(each.expected), each.name


def test_a_frame_takes_rules_and_tells_columns_that_no_rule_can_find(spark: SparkSession) -> None:
    burst = rule.count(rule.event("login", "ok = FALSE"), over="5m").at_least(2).for_each("user")
    rows = [
        (str(number), "s", "login", f"2026-01-01T00:0{number}:00Z", False, user)
        for number, user in enumerate("ab" + "a")
    ]
    frame = spark.createDataFrame(
        rows, "id string, source string, type string, time string, ok boolean, user string"
    )
    columns = {name: name for name in ("id", "source", "type", "time")} | {"ok": "data.ok"}
    columns |= {"user": "data.user"}
    found = match(frame, [burst.named("burst")], columns=columns).collect()
    assert [(row.subscription, row.events) for row in found] == [("burst", ["0", "2"])]
    wrong = [
        burst.for_each("usr").named("key"),
        rule.avg(rule.event("login"), "okay", over="5m").more_than(1).named("measured"),
        rule.all_of(rule.event("login").named("a"), rule.event("x").named("b"))
        .where("a.users > b.user")
        .select("a.okk")
        .named("compared"),
    ]
    for each, name in zip(wrong, ("usr", "okay", "users"), strict=True):
        with pytest.warns(AbsentColumnWarning, match=f"no column holds {name}.*did you mean"):
            match(frame, each, columns=columns)


def _json(event: dict[str, object]) -> str:
    return json.dumps(event)
