"""What is constructed on Spark: events again, of a file in one run, of a stream through its
sink.
"""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import SparkSession

from tests.hub.test_constructed import BOTH, LATER, LOOP, ORDER, PAY, SPLIT, TASK, event, in_file
from tocsin.events.matches.match import constructed_bodies
from tocsin.spark import constructed, match, run_match


def test_a_file_gives_what_the_local_host_gives(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events = [event("1", 1, ORDER), event("2", 2, PAY), event("3", 3, "<a>1</a>")]
    path.write_text("\n".join(map(json.dumps, events)))
    subscriptions = [SPLIT, TASK, BOTH, LATER]
    found, letters = run_match(subscriptions, str(path), session=spark)
    expected, _ = in_file(subscriptions, events)
    assert [each.line() for each in found] == [each.line() for each in expected]
    assert letters == []


def test_matches_become_the_events_that_the_hub_makes_of_them(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(json.dumps(event("constructed-15-x-1", 1, "<a>1</a>")),)], "value string"
    )
    given, _ = in_file([LOOP], [event("constructed-15-x-1", 1, "<a>1</a>")])
    alerts = match(frame, [LOOP])
    rows = [json.loads(row.value) for row in constructed(alerts).collect()]
    (body,) = constructed_bodies(
        next(each for each in given if each.events == ("constructed-15-x-1",))
    )
    assert rows == [{**body, "time": "2026-01-01T00:00:01.000000Z"}]
    again = spark.createDataFrame([(json.dumps({**body, "id": body["id"]}),)], "value string")
    assert constructed(match(again, [LOOP])).collect() == []  # the limit of hops
