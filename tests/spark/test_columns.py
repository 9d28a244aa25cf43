"""Event columns and typed columns: they ring, and are refused, exactly as their JSON would be."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.scenes import SUBSCRIPTIONS, expected, found_in, random_body, rung, selector
from tocsin.catalog import Subscription
from tocsin.errors import MeaningProblem
from tocsin.spark import dead_letters, match
from tocsin.spark.input import rows as columns_module
from tocsin.spark.input.rows import ColumnReading
from tocsin.spark.input.table import EventTable
from tocsin.values.scalars import ENVELOPE

DATA = "struct<price: double, kind: string, note: string, box: struct<size: int, colour: string>>"
HEAD = "id string, source string, type string, time timestamp, endtime timestamp, place string"


def moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def bodies(seed: int, count: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [random_body(chance, number) for number in range(count)]


def head_of(body: Mapping[str, Any]) -> tuple[Any, ...]:
    times = (moment(body.get("time")), moment(body.get("endtime")))
    return (body["id"], body["source"], body["type"], *times, body.get("place"))


def data_of(body: Mapping[str, Any]) -> dict[str, Any] | None:
    data = body.get("data")
    if data is None:
        return None
    price = data.get("price")
    return {name: data.get(name) for name in ("kind", "note", "box")} | {
        "price": None if price is None else float(price)
    }


def framed(
    spark: SparkSession, given: list[dict[str, Any]], shape: str
) -> tuple[DataFrame, dict[str, str] | None]:
    """The events as a DataFrame of the given shape, and the mapping that it needs."""
    if shape == "data as struct":
        return spark.createDataFrame(
            [(*head_of(each), data_of(each)) for each in given], f"{HEAD}, data {DATA}"
        ), None
    if shape == "data as JSON text":
        texts = [None if "data" not in each else json.dumps(each["data"]) for each in given]
        rows = [(*head_of(each), text) for each, text in zip(given, texts, strict=True)]
        return spark.createDataFrame(rows, f"{HEAD}, data string"), None
    if shape == "times as text":
        heads = [
            (*head_of(each)[:3], each.get("time"), each.get("endtime"), each.get("place"))
            for each in given
        ]
        rows = [(*head, data_of(each)) for head, each in zip(heads, given, strict=True)]
        return spark.createDataFrame(
            rows, f"{HEAD.replace('timestamp', 'string')}, data {DATA}"
        ), None
    frame = framed(spark, given, "data as struct")[0]
    flat = frame.selectExpr(
        "id AS nr",
        "source",
        "type",
        "time AS begun",
        "endtime",
        "place",
        "data.price AS p",
        "data.kind AS k",
        "data.note AS n",
        "data.box.size AS s",
        "data.box.colour AS c",
    )
    return flat, {
        "nr": "id",
        "begun": "time",
        "p": "data.price",
        "k": "data.kind",
        "n": "data.note",
        "s": "data.box.size",
        "c": "data.box.colour",
    }


IN_ORDER = [
    selector("texts", "kind < 'b' AND note BETWEEN '' AND 'ab'"),
    selector(
        "instants",
        "ce_time < '2026-01-01T02:00:20.5+02:00' AND ce_endtime >= '2026-01-01T00:00:20Z'",
    ),
    selector("duration", "ce_time < ce_endtime AND ce_time <> '2026-01-01T00:00:07Z'"),
    Subscription(
        "amqp",
        "selector",
        "p.creation_time % 2 = 0 AND LOWER(kind) IN ('a', 5) AND p.creation_time < 1767225630000",
        options={"dialect": "amqp"},
    ),
]


@pytest.mark.parametrize(
    "shape", ["data as struct", "data as JSON text", "times as text", "flat columns"]
)
def test_columns_ring_as_their_json(spark: SparkSession, shape: str) -> None:
    given = bodies(seed=7, count=150)
    frame, mapping = framed(spark, given, shape)
    like = selector("time", "ce_time LIKE '%:3_.5Z' OR ce_endtime = '2026-01-01T00:00:59Z'")
    asked = [*SUBSCRIPTIONS, *IN_ORDER, like]
    found = found_in(match(frame.repartition(3), asked, columns=mapping))
    assert found == expected(map(json.dumps, given), asked)
    assert {each.subscription for each in found} == {each.id for each in asked}, (
        "every subscription is put to the test"
    )


def test_maps_have_members_and_numbers_of_every_type_compare(spark: SparkSession) -> None:
    data = "struct<m: map<string, int>, d: decimal(30,2), f: float, l: array<int>>"
    schema = f"id bigint, source string, type string, data {data}"
    rows = [
        (1, "s", "t", ({"a": 1}, Decimal("12345678901234567890123456.50"), 0.5, [1])),
        (2, "s", "t", ({}, None, None, None)),
    ]
    frame = spark.createDataFrame(rows, schema)
    asked = [
        selector("map", "m.a = 1"),
        selector("decimal", "d > 12345678901234567890123456"),
        selector("float", "f = 0.5"),
        selector("list", "l IS NOT NULL"),
        selector("list is no scalar", "l = 1 OR NOT l = 1"),
        selector("ids are text", "ce_id = '2'"),
    ]
    ones = [("decimal", "1"), ("float", "1"), ("list", "1"), ("map", "1")]
    assert rung(match(frame, asked)) == [*ones[:2], ("ids are text", "2"), *ones[2:]]
    no_map = frame.selectExpr(
        "id", "source", "type", "named_struct('d', data.d, 'f', data.f, 'l', data.l) AS data"
    )
    assert rung(match(no_map, asked)) == [*ones[:2], ("ids are text", "2"), ones[2]]


def test_times_inside_data_are_text_in_utc(spark: SparkSession) -> None:
    schema = (
        "id string, source string, type string, due timestamp, day date, box struct<due: timestamp>"
    )
    due = datetime(2026, 1, 1, 12, 0, 0, 250000, UTC)
    frame = spark.createDataFrame([("e", "s", "t", due, date(2026, 1, 2), (due,))], schema)
    asked = [
        selector("due", "due = '2026-01-01T12:00:00.25Z'"),
        selector("day", "day = '2026-01-02'"),
        selector("box", "box.due = '2026-01-01T12:00:00.25Z'"),
    ]
    mapping = {"due": "data.due", "day": "data.day", "box": "data.box"}
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        assert rung(match(frame, asked, columns=mapping)) == [
            ("box", "e"),
            ("day", "e"),
            ("due", "e"),
        ]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


BAD_ROWS = [
    ("no id", None, "s", "t", None, None, None, 1.0, "id is missing"),
    ("empty source", "e", "", "t", None, None, None, 1.0, "source"),
    (
        "end before start",
        "e",
        "s",
        "t",
        "2026-01-01T00:00:02Z",
        "2026-01-01T00:00:01Z",
        None,
        1.0,
        "after endtime",
    ),
    ("end without start", "e", "s", "t", None, "2026-01-01T00:00:01Z", None, 1.0, "without time"),
    ("no such place", "e", "s", "t", None, None, "POINT (1", 1.0, "place"),
]


@pytest.mark.parametrize("times", ["timestamp", "string"])
def test_rows_that_are_no_events_become_dead_letters_and_harm_no_other(
    spark: SparkSession, times: str
) -> None:
    schema = f"id string, source string, type string, time {times}, endtime {times}, place string, price double"
    rows: list[tuple[Any, ...]] = []
    for number, (_, id, source, type_, start, end, place, price, _) in enumerate(BAD_ROWS):
        begins, ends = (start, end) if times == "string" else (moment(start), moment(end))
        rows += [
            (id, source, type_, begins, ends, place, price),
            (f"good{number}", "s", "t", None, None, "POINT (1 2)", 1.0),
        ]
    frame = spark.createDataFrame(rows, schema).coalesce(1)
    mapping = {"price": "data.price"}
    goods = [("all", f"good{number}") for number in range(len(BAD_ROWS))]
    assert rung(match(frame, [selector("all")], columns=mapping)) == goods
    reasons = [row["reason"] for row in dead_letters(frame, columns=mapping).collect()]
    assert len(reasons) == len(BAD_ROWS)
    for reason, row in zip(reasons, BAD_ROWS, strict=True):
        assert row[-1] in reason


def test_text_that_is_no_utf8_and_times_beyond_the_calendar_harm_no_other_row(
    spark: SparkSession,
) -> None:
    frame = spark.sql(
        """SELECT * FROM VALUES ('good', X'61', 0L), ('text', X'FF', 0L), ('late', X'61', 300000000000000000L)
           AS t(id, raw, micros)"""
    ).selectExpr(
        "id",
        "'s' AS source",
        "'t' AS type",
        "timestamp_micros(micros) AS time",
        "CAST(raw AS STRING) AS note",
    )
    mapping = {"note": "data.note"}
    assert rung(match(frame.coalesce(1), [selector("a", "note = 'a'")], columns=mapping)) == [
        ("a", "good")
    ]
    reasons = sorted(
        row["reason"] for row in dead_letters(frame.coalesce(1), columns=mapping).collect()
    )
    assert len(reasons) == 2
    assert any("UTF-8" in reason for reason in reasons)


def test_places_come_as_text_or_geojson(spark: SparkSession) -> None:
    point = '{"type":"Point","coordinates":[1.5,2]}'
    frame = spark.createDataFrame(
        [("wkt", "s", "t", "POINT(1.5 2)"), ("json", "s", "t", point), ("none", "s", "t", None)],
        "id string, source string, type string, place string",
    )
    struct = frame.where("id = 'json'").selectExpr(
        "id",
        "source",
        "type",
        "from_json(place, 'type string, coordinates array<double>') AS place",
    )
    places = {row["events"][0]: row["place"] for row in match(frame, [selector("all")]).collect()}
    assert places == {"wkt": "POINT (1.5 2)", "json": "POINT (1.5 2)", "none": None}
    assert [row["place"] for row in match(struct, [selector("all")]).collect()] == ["POINT (1.5 2)"]


@pytest.fixture
def trades(spark: SparkSession) -> DataFrame:
    return spark.sql(
        "SELECT 'e' AS id, 's' AS source, 't' AS type, 1.5D AS price, X'00' AS raw, timestamp_ntz'2026-01-01' AS at"
    )


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"price": "price"}, "no event field"),
        ({"price": "data."}, "no event field"),
        ({"nothing": "data.x"}, "not there"),
        ({"price": "data.x", "type": "data.x"}, "two columns"),
        ({"price": "data.x", "type": "data.x.y"}, "part of it"),
        ({"type": "data.x"}, "the event's type"),
        ({"raw": "time"}, "binary"),
        ({"at": "time"}, "timestamp_ntz"),
        ({"price": "place"}, "double"),
    ],
)
def test_a_wrong_mapping_is_refused_with_a_hint(
    trades: DataFrame, mapping: dict[str, str], message: str
) -> None:
    with pytest.raises(MeaningProblem, match=message) as raised:
        match(trades, [], columns=mapping)
    assert raised.value.code == "ColumnError"
    assert raised.value.hint


def test_a_frame_without_events_is_refused(spark: SparkSession) -> None:
    with pytest.raises(MeaningProblem, match="the event's id"):
        match(spark.range(3).toDF("number"), [])
    with pytest.raises(MeaningProblem, match="value is bigint"):
        match(spark.range(3).withColumnRenamed("id", "value"), [])


def test_good_rows_of_columns_are_never_turned_into_objects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(value: object) -> None:
        raise AssertionError(f"an object was made: {value}")

    monkeypatch.setattr(columns_module, "from_mapping", refuse)
    rows = pa.RecordBatch.from_pydict(
        {"i": ["a", "b"], "s": ["s", "s"], "t": ["t", "t"], "p": [1.0, None]}
    )
    names = {
        (ENVELOPE, "id"): "i",
        (ENVELOPE, "source"): "s",
        (ENVELOPE, "type"): "t",
        ("price",): "p",
    }
    reading = ColumnReading(EventTable(rows, names))
    assert reading.batch.column(("price",)).numbers[0] == 1.0
    assert reading.heads([1, 0, 1]).identities() == [("s", "b"), ("s", "a"), ("s", "b")]
