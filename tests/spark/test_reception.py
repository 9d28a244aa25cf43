"""On Spark: reception time over rows and columns, stamped on streams; and the warning that absences
wait.
"""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tests.runtime.test_reception import NOON, OVERLAP, at, body
from tests.spark.scenes import selector
from tests.spark.shard.scenes import Stream
from tocsin.errors import Problem
from tocsin.spark import AbsenceWaitsWarning, match, match_with_dead_letters, matches_of
from tocsin.values.time import parse_instant

BODIES = [
    body("a1", 1, receivedtime=at(4)),
    body("b1", 3, receivedtime=at(6)),
    body("a2", 20),
    body("b2", 21, receivedtime=at(22)),
    body("c", 30, receivedtime=at(25)),
    body("d", 40, endtime=at(41), receivedtime=at(45)),
]
ENDS = {"a1": 4, "b1": 6, "a2": 20, "b2": 22, "c": 30, "d": 41}
ASKED = [selector("all"), selector("late", f"ce_endtime = '{at(6)}'"), OVERLAP]


def test_rows_and_columns_end_when_they_were_received(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(json.dumps(each),) for each in BODIES], "value string")
    fields = (
        "id string, source string, type string, time string, endtime string, receivedtime string"
    )
    parsed = rows.select(
        F.from_json("value", f"{fields}, data struct<kind: string>").alias("e")
    ).select("e.*")
    typed = parsed.withColumns(
        {name: F.col(name).cast("timestamp") for name in ("time", "endtime", "receivedtime")}
    )
    for frame in (rows, parsed, typed):
        found = match(frame, ASKED, interval="reception", content="events").collect()
        ends = {row.events[0]: row.end for row in found if row.subscription == "all"}
        assert {id: end.timestamp() - NOON / 1e6 for id, end in ends.items()} == ENDS
        assert [row.events for row in found if row.subscription == "late"] == [["b1"]]
        assert [row.events for row in found if row.subscription == "overlap"] == [["a1", "b1"]]
    assert match(typed, [OVERLAP]).count() == 0


def test_a_stream_stamps_what_comes_or_takes_the_time_of_the_row(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = Stream(spark, tmp_path, {"content": "events", "interval": "reception"})
    before = time.time_ns() // 1000
    stream.put([json.dumps(body("a", 1)), json.dumps(body("b", 3, receivedtime=at(6)))])
    stream.run([selector("all")])
    found = {each.events[0]: each for each in stream.all_matches()}
    (stamped,) = found["a"].members
    end = found["a"].end
    assert end is not None
    # Spark's clock has milliseconds
    assert before - 1_000 <= end == parse_instant(stamped.envelope["receivedtime"])
    assert found["b"].end == NOON + 6_000_000

    inbox = spark.readStream.format("text").load(str(stream.inbox))
    came = inbox.withColumn("receivedtime", F.lit(at(9)).cast("timestamp"))
    both = match_with_dead_letters(came, [selector("all")], interval="reception")
    query = both.writeStream.format("memory").queryName("came").trigger(availableNow=True).start()
    query.awaitTermination()
    ends = {
        row.events[0]: row.end.timestamp() - NOON / 1e6
        for row in matches_of(spark.table("came")).collect()
    }
    assert ends == {"a": 9, "b": 6}


def test_a_column_that_is_no_time_and_an_unknown_rule_are_refused(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("{}", 7)], "value string, receivedtime int")
    with pytest.raises(
        Problem, match=r"ColumnError: the column receivedtime is int; it is a timestamp"
    ):
        match(rows, ASKED, interval="reception")
    with pytest.raises(Problem, match="IntervalError"):
        match(rows, ASKED, interval="receipt")


def test_match_tells_once_that_absences_wait_for_the_next_event(
    spark: SparkSession, tmp_path: Path
) -> None:
    stream = spark.readStream.format("text").load(str(tmp_path))
    batch = spark.createDataFrame([("{}",)], "value string")
    kinds = [
        {"define": kind, "language": "selector", "expression": f"kind = '{kind}'"}
        for kind in ("A", "B")
    ]
    silence = [*kinds, {"id": "quiet", "language": "opsl", "expression": "!(A; 10s)B"}]
    inside = [*kinds, {"id": "deep", "language": "opsl", "expression": "=|(A; 1h)(!(A; 10s)B)"}]
    between = [*kinds, {"id": "between", "language": "opsl", "expression": "!(A; A)B"}]

    def told(
        frame: object, subscriptions: object, **settings: str
    ) -> list[warnings.WarningMessage]:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            match(frame, subscriptions, **settings)  # type: ignore[arg-type]
        return [each for each in heard if issubclass(each.category, AbsenceWaitsWarning)]

    (warning,) = told(stream, silence)
    assert "'quiet'" in str(warning.message)
    assert 'idle="10s"' in str(warning.message)
    assert warning.filename == __file__
    assert len(told(stream, inside)) == 1
    for quiet in (
        (stream, silence, "10s"),
        (stream, between, None),
        (batch, silence, None),
        (stream, ASKED, None),
    ):
        frame, subscriptions, idle = quiet
        assert told(frame, subscriptions, **({} if idle is None else {"idle": idle})) == []
