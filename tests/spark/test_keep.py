"""Columns of the events that matches carry: exactly as they were, whatever way the event went."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.builders import event_text
from tests.spark.scenes import selector
from tocsin.catalog import Subscription
from tocsin.errors import MeaningProblem
from tocsin.spark import match, match_with_dead_letters

FOLLOWS = Subscription("follows", "opsl", "=|(ARITH: price > 1; 60s)(ARITH: price > 2)")
TYPES = """ts timestamp, ntz timestamp_ntz, day date, real double, single float, exact decimal(22,2), raw binary,
           big bigint, small tinyint, flag boolean, text string, nothing string, listed array<string>,
           named map<string, int>, inner struct<x: int, at: timestamp>"""
VALUES = (
    datetime(2026, 1, 1, 8, 0, 0, 123456, tzinfo=UTC),
    datetime(2026, 1, 1, 8, 0, 0, 1),
    date(2026, 1, 31),
    0.1,
    float("inf"),
    Decimal("12345678901234567890.12"),
    bytearray(b"\x00\xff"),
    2**63 - 1,
    -128,
    True,
    'quoted "€"\n',
    None,
    ["a", None, ""],
    {"a": 1, "": 2},
    (1, datetime(1969, 7, 20, 20, 17, 40, 999999, tzinfo=UTC)),
)


def body(number: int, price: int) -> str:
    return event_text(f"e{number}", second=8 * 3600 + number, data={"price": price})


def prices(spark: SparkSession) -> DataFrame:
    rows = [(body(1, 2), "north", 1), (body(2, 5), "south", 2), ("{", "west", 3)]
    return spark.createDataFrame(rows, "value string, region string, number int")


def test_a_match_carries_what_its_row_had_in_every_type(spark: SparkSession) -> None:
    events = spark.createDataFrame([(body(1, 5), *VALUES)], f"value string, {TYPES}")
    kept = [name for name in events.columns if name != "value"]
    found = match(events, [selector("dear", "price > 1")], keep=kept)
    before, after = events.select(*kept), found.select(*kept)
    assert after.schema.simpleString() == before.schema.simpleString()
    assert after.collect() == before.collect()


def test_typed_columns_are_kept_too_and_need_not_be_mapped(spark: SparkSession) -> None:
    events = spark.sql(
        "SELECT 'e' AS id, 's' AS source, 't' AS type, 5 AS price, double('NaN') AS odd, 'n' AS region"
    )
    for options in ({}, {"deduplicate": False}, {"content": "events"}):
        given: dict[str, Any] = {"columns": {"price": "data.price"}, **options}
        (row,) = match(
            events, [selector("dear", "price > 1")], keep=["region", "odd", "price"], **given
        ).collect()
        assert (row.region, str(row.odd), row.price) == ("n", "nan", 5)
        if "content" in options:
            assert "row_kept" not in row.members[0].json


def test_composites_carry_an_array_parallel_to_their_events(spark: SparkSession) -> None:
    subscriptions = [FOLLOWS, selector("dear", "price > 3")]
    both = match_with_dead_letters(
        prices(spark), subscriptions, keep={"region": "where"}, content="events"
    )
    rows = both.collect()
    told = {
        row.match.subscription: (row.match.events, row.match["where"]) for row in rows if row.match
    }
    assert told == {"follows": (["e1", "e2"], ["north", "south"]), "dear": (["e2"], ["south"])}
    (letter,) = [row.dead_letter for row in rows if row.dead_letter]
    assert letter.input == "{"
    assert all(
        "row_kept" not in each.json for row in rows if row.match for each in row.match.members
    )


def test_what_is_kept_waits_in_the_state_of_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Each micro-batch brings one file; the parts of the composite come in different ones."""
    inbox, schema = tmp_path / "inbox", "value string, region string"
    inbox.mkdir()
    for number, region in enumerate(["north", "south", "west"], 1):
        line = json.dumps({"value": body(number * 10, 5), "region": region})
        (inbox / f"{number}.json").write_text(line)
        os.utime(inbox / f"{number}.json", (number, number))  # the source takes the oldest first
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(inbox))
    found = match(stream, [FOLLOWS], keep="region", lateness="0s")
    query = found.writeStream.format("memory").queryName("kept").trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    told = {tuple(row.events): row.region for row in spark.table("kept").collect()}
    assert told[("e10", "e20")] == ["north", "south"]
    assert all(len(events) == len(regions) for events, regions in told.items())


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        (["regin"], ("no column 'regin'", "region")),
        (["id"], ("column 'id' of its own", 'keep={"id": "event_id"}')),
        ({"region": "Place"}, ("column 'Place' of its own",)),
        ([5], ("names of columns",)),
        ({"region": "a", "id": "a"}, ("under one name",)),
        (["gap"], ("interval", "cast")),
        (["counts"], ("map<int,int>", "cast")),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_way_out(
    spark: SparkSession, keep: Any, words: tuple[str, ...]
) -> None:
    events = spark.sql(
        """SELECT 'e' AS id, 's' AS source, 't' AS type, 'n' AS region, interval '1' day AS gap, map(1, 2) AS counts"""
    )
    with pytest.raises(MeaningProblem) as raised:
        match(events, [selector("all")], keep=keep)
    assert raised.value.code == "ColumnError"
    for word in words:
        assert word in str(raised.value)
