"""Rows with the schema of Spark's Kafka source: structured, binary and plain JSON, and what is
wrong with one.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.spark.scenes import selector
from tocsin.errors import EventProblem
from tocsin.spark import dead_letters, match, match_with_dead_letters, matches_of
from tocsin.spark.input.layout import events_of_record

SCHEMA = """key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp,
            timestampType int, headers array<struct<key: string, value: binary>>"""
CAME = datetime(2026, 1, 1, 9, tzinfo=UTC)
EVENT = {
    "specversion": "1.0",
    "id": "e1",
    "source": "shop",
    "type": "offer",
    "time": "2026-01-01T08:00:00Z",
    "data": {"price": 350},
}


def headers(**given: str | bytes) -> list[dict[str, Any]]:
    found = {name.replace("content_type", "content-type"): value for name, value in given.items()}
    return [
        {"key": name, "value": value.encode() if isinstance(value, str) else value}
        for name, value in found.items()
    ]


BINARY = headers(
    ce_specversion="1.0",
    ce_id="e1",
    ce_source="shop",
    ce_type="offer",
    ce_time="2026-01-01T08:00:00Z",
)


def record(
    value: bytes | None, given: list[dict[str, Any]] | None, offset: int = 0
) -> tuple[Any, ...]:
    found = None if given is None else [(each["key"], each["value"]) for each in given]
    return (b"k1", value, "orders", 0, offset, CAME, 0, found)


def records(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame(list(rows), SCHEMA)


def told(raw: bytes | None, given: list[dict[str, Any]] | None) -> dict[str, Any]:
    (event,) = events_of_record(raw, given)
    return {**event.envelope, "data": event.data}


def test_a_record_in_binary_mode_is_the_event_that_it_would_be_in_structured_mode() -> None:
    json_kind = headers(content_type="application/json")
    binary = told(b'{"price": 350}', [*BINARY, *json_kind])
    assert binary == {**EVENT, "datacontenttype": "application/json"}
    structured = headers(content_type="application/cloudevents+json; charset=UTF-8")
    for given in (None, [], structured, headers(trace="x"), [*BINARY, *structured]):
        assert told(json.dumps(EVENT).encode(), given) == EVENT


def test_data_is_read_by_its_content_type_and_may_be_absent() -> None:
    xml = told(b"<offer>7</offer>", [*BINARY, *headers(content_type="application/xml")])
    assert xml["data"] == "<offer>7</offer>"
    assert told(None, BINARY)["data"] is None
    assert (
        told(b"\x00\xff", [*BINARY, *headers(content_type="application/octet-stream")])["data"]
        == "AP8="
    )


def test_headers_may_be_written_in_capitals_come_twice_and_hold_a_geojson_place() -> None:
    place = headers(CE_PLACE='{"type": "Point", "coordinates": [1, 2]}', CE_REGION="EU")
    (event,) = events_of_record(None, [*BINARY, *headers(ce_id="e2"), *place])
    assert (event.id, event.envelope["region"], event.place_text) == ("e2", "EU", "POINT (1 2)")


@pytest.mark.parametrize(
    ("raw", "given", "words"),
    [
        (None, None, "value is null"),
        (None, headers(ce_id="e1"), "source is missing"),
        (b"{", [*BINARY], "malformed JSON"),
        (None, [*BINARY, *headers(ce_time="yesterday")], "time: 'yesterday'"),
        (None, [*BINARY, *headers(ce_region=b"\xff")], "the header ce_region is not UTF-8"),
        (None, headers(ce_specversion="2.0", ce_id="e", ce_source="s", ce_type="t"), "specversion"),
    ],
)
def test_what_is_no_event_says_why(
    raw: bytes | None, given: list[dict[str, Any]] | None, words: str
) -> None:
    with pytest.raises(EventProblem) as raised:
        events_of_record(raw, given)
    assert words in raised.value.message


def test_structured_and_binary_records_may_come_in_one_topic(spark: SparkSession) -> None:
    events = records(
        spark,
        record(json.dumps(EVENT | {"id": "structured"}).encode(), None),
        record(b'{"price": 350}', [*BINARY, *headers(ce_id="binary")], 1),
        record(b'{"price": 350}', headers(ce_id="wrong"), 2),
    )
    both = match_with_dead_letters(
        events, [selector("cheap", "price < 400 AND ce_time < '2026-01-01T08:30:00Z'")]
    )
    rows = both.collect()
    assert sorted(row.match.events[0] for row in rows if row.match) == ["binary", "structured"]
    (letter,) = [row.dead_letter for row in rows if row.dead_letter]
    assert (letter.place, letter.token) == ("orders-0@2", "source")
    assert "ce_id: wrong" in letter.input


def test_plain_json_is_data_and_the_record_tells_the_rest(spark: SparkSession) -> None:
    events = records(spark, record(b'{"price": 350}', None, 7), record(b"{", None, 8))
    (row,) = match(events, [selector("cheap", "price < 400")], columns={"value": "data"}).collect()
    assert (row.events, row.sources) == (["orders-0@7"], ["orders"])
    assert row.start.astimezone(UTC) == CAME
    (letter,) = dead_letters(events, columns={"value": "data"}).collect()
    assert letter.place == "orders-0@8"
    mapping = {"value": "data", "key": "id", "timestamp": "time", "topic": "source"}
    (row,) = match(
        events, [selector("cheap", "price < 400 AND ce_type = 'orders'")], columns=mapping
    ).collect()
    assert (row.events, row.sources) == (["k1"], ["orders"])


def test_a_mapping_without_value_takes_nothing_from_the_record(spark: SparkSession) -> None:
    events = records(spark, record(b"", None)).selectExpr(
        "*", "'x' AS id", "'s' AS source", "'t' AS type"
    )
    (row,) = matches_of(
        match_with_dead_letters(events, [selector("all")], columns={"partition": "data.p"})
    ).collect()
    assert (row.events, row.start) == (["x"], None)
