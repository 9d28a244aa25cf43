"""Batch DataFrames of CloudEvents JSON: the reference decides what rings, however the input
is cut.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests import strategies
from tests.spark.scenes import SUBSCRIPTIONS, expected, found_in, random_lines, rung, selector
from tocsin.errors import Problem, StateProblem
from tocsin.events.event import Event
from tocsin.spark import dead_letters, match, match_with_dead_letters

QUESTIONS = [
    selector("less", "a < 2 OR n.b >= 1"),
    selector("text", "b LIKE '%a%' AND NOT c = 'ab'"),
    selector("kind", "a = TRUE OR c IN ('a', 'b') OR ce_type = 'ab'"),
    selector("null", "n.a IS NULL AND b IS NOT NULL"),
]


def text_of(event: Event) -> str:
    return json.dumps({**event.envelope, "data": event.data})


@settings(max_examples=6, deadline=None)
@given(events=st.lists(strategies.events(), max_size=12), partitions=st.integers(1, 4))
def test_a_batch_rings_as_the_reference_says(
    spark: SparkSession, events: list[Event], partitions: int
) -> None:
    lines = [text_of(event) for event in events]
    frame = spark.createDataFrame([(line,) for line in lines], "value string").repartition(
        partitions
    )
    assert found_in(match(frame, QUESTIONS)) == expected(lines, QUESTIONS)


@pytest.mark.parametrize("kind", ["string", "binary"])
def test_many_events_in_many_partitions(spark: SparkSession, kind: str) -> None:
    lines = random_lines(seed=1, count=300)
    rows = [(line if kind == "string" else line.encode(),) for line in lines]
    frame = spark.createDataFrame(rows, f"value {kind}").repartition(5)
    assert found_in(match(frame, SUBSCRIPTIONS)) == expected(lines)
    assert found_in(match(frame, SUBSCRIPTIONS, deduplicate=False)) == expected(lines)


def test_subscriptions_may_be_plain_dicts(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [('{"id":"e","source":"s","type":"t","data":{"a":1}}',)], "value string"
    )
    asked = [
        {"id": text, "language": "selector", "expression": text} for text in ("a = 1", "a = 2")
    ]
    assert rung(match(frame, asked)) == [("a = 1", "e")]


def test_of_events_with_one_identity_the_first_in_canonical_order_counts(
    spark: SparkSession,
) -> None:
    def line(kind: str, time: str | None, source: str = "s") -> str:
        return json.dumps(
            {"id": "e", "source": source, "type": "t", "time": time, "data": {"kind": kind}}
        )

    lines = [
        line("later", "2026-01-01T00:00:02Z"),
        line("b, same time", "2026-01-01T00:00:01Z"),
        line("a, same time", "2026-01-01T00:00:01Z"),
        line("other source", "2026-01-01T00:00:03Z", source="t"),
        line("other source, no time", None, source="t"),
    ]
    frame = spark.createDataFrame([(each,) for each in lines], "value string").repartition(3)
    asked = [
        selector(kind, f"kind = '{kind}'") for kind in ("later", "b, same time", "a, same time")
    ]
    asked += [
        selector("timed", "kind = 'other source'"),
        selector("untimed", "kind = 'other source, no time'"),
    ]
    assert rung(match(frame, asked)) == [("a, same time", "e"), ("untimed", "e")]
    assert len(rung(match(frame, asked, deduplicate=False))) == 5


def test_dead_letters_say_what_is_wrong_and_where(spark: SparkSession) -> None:
    good = '{"id":"good","source":"s","type":"t"}'
    wrong: list[tuple[bytes | None, str]] = [
        (b"{", "malformed JSON"),
        (None, "null"),
        (b'{"id":"\xff"}', "UTF-8"),
        (b'{"source":"s","type":"t"}', "id is missing"),
        (b'{"id":"a","id":"b","source":"s","type":"t"}', "twice"),
        (b'{"id":"a","source":"s","type":"t","data":{"x":NaN}}', "NaN"),
        (b'{"id":"a","source":"s","type":"t","time":"yesterday"}', "RFC 3339"),
        (
            b'{"id":"a","source":"s","type":"t","place":"POLYGON ((0 0, 1 1, 0 1, 1 0, 0 0))"}',
            "valid",
        ),
        (b"[" * 100_000, "deep"),
        (b'{"id":"' + b"x" * (5 << 20) + b'"}', "limit"),
    ]
    rows = [(raw, number) for number, (raw, _) in enumerate([*wrong, (good.encode(), "")], 1)]
    frame = spark.createDataFrame(rows, "value binary, line int").repartition(3)
    letters = {row["line"]: row for row in dead_letters(frame, [selector("all")]).collect()}
    assert sorted(letters) == list(range(1, len(wrong) + 1))
    for number, (_, reason) in enumerate(wrong, 1):
        assert reason in letters[number]["reason"]
    assert letters[4]["token"] == "id"
    assert max(len(letter["input"]) for letter in letters.values()) == 4096
    both = match_with_dead_letters(frame, [selector("all")])
    assert sorted(both.columns) == ["dead_letter", "match"]
    assert found_in(match(frame, [selector("all")])) == expected([good], [selector("all")])


def test_a_dead_letter_of_kafka_names_topic_partition_and_offset(spark: SparkSession) -> None:
    schema = "key binary, value binary, topic string, partition int, offset bigint"
    frame = spark.createDataFrame([(None, b"nonsense", "orders", 3, 42)], schema)
    assert [row["place"] for row in dead_letters(frame).collect()] == ["orders-3@42"]


def test_a_wrong_subscription_in_a_list_is_raised_where_the_query_is_made(
    spark: SparkSession,
) -> None:
    frame = spark.createDataFrame([("{}",)], "value string")
    with pytest.raises(Problem, match="'wrong'") as raised:
        match(frame, [selector("right", "a = 1"), selector("wrong", "a >")])
    assert raised.value.code == "SelectorSyntaxError"
    assert raised.value.place is not None
    with pytest.raises(StateProblem):
        match(frame, [selector("same", "a = 1"), selector("same", "a = 2")])


def test_what_is_not_served_is_refused(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("{}",)], "value string")
    with pytest.raises(Problem, match=r"zoo\.ttl"):
        match(frame, [], ontology="zoo.ttl")
    with pytest.raises(Problem, match="duration"):
        match(frame, [], lateness="soon")


def test_a_query_concludes_what_its_ontology_is_told_to(
    spark: SparkSession, tmp_path: Path
) -> None:
    ontology = tmp_path / "o.ttl"
    ontology.write_text(
        "@prefix : <http://x/> . :p <http://www.w3.org/2000/01/rdf-schema#domain> :A ."
    )
    body = {
        "id": "1",
        "source": "s",
        "type": "t",
        "datacontenttype": "text/turtle",
        "data": "_:H <http://x/p> 1 .",
    }
    frame = spark.createDataFrame([(json.dumps(body),)], "value string")
    asked = [{"id": "a", "language": "graph", "expression": "ASK { _:H a :A }"}]
    assert match(frame, asked, ontology=str(ontology)).count() == 0
    assert match(frame, asked, ontology=str(ontology), infer=["domain-range"]).count() == 1
    with pytest.raises(Problem, match="OptionError"):
        match(frame, asked, infer=["domain-range"])


def test_a_query_takes_domains_and_ranges_as_meta_statements_where_it_is_told_to(
    spark: SparkSession, tmp_path: Path
) -> None:
    ontology = tmp_path / "o.ttl"
    ontology.write_text(
        "@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        " :p rdfs:domain :A ; rdfs:range :B ."
    )
    frame = spark.createDataFrame([("{}",)], "value string")
    asked = [
        {"id": "a", "language": "graph", "expression": "ASK { _:H a :B ; :p ?a . ?a a :A }"},
    ]
    assert match(frame, asked, ontology=str(ontology)).count() == 0
    with pytest.raises(Problem, match="META_UNSATISFIABLE"):
        match(frame, asked, ontology=str(ontology), infer=["meta-statements"])


def test_microseconds_survive_and_the_zone_of_the_session_changes_nothing(
    spark: SparkSession,
) -> None:
    lines = [
        '{"id":"a","source":"s","type":"t","time":"2026-03-29T01:30:00.000001+01:00","endtime":"2026-03-29T02:30:00Z"}',
        '{"id":"b","source":"s","type":"t","time":"0001-01-03T00:00:00Z"}',
        '{"id":"c","source":"s","type":"t","time":"9999-12-29T23:59:59.999999Z"}',
        '{"id":"d","source":"s","type":"t"}',
    ]
    frame = spark.createDataFrame([(line,) for line in lines], "value string")
    asked = [selector("all")]
    try:
        for zone in ("UTC", "Pacific/Kiritimati", "America/New_York", "-18:00"):
            spark.conf.set("spark.sql.session.timeZone", zone)
            assert found_in(match(frame, asked)) == expected(lines, asked)
            assert len(match(frame, asked).collect()) == 4  # Python makes datetimes of them
            micros = (
                match(frame, asked)
                .selectExpr("events[0] AS id", "unix_micros(start) AS start")
                .collect()
            )
            assert {row["id"]: row["start"] for row in micros} == {
                "a": 1_774_744_200_000_001,
                "b": -62_135_424_000_000_000,
                "c": 253_402_127_999_999_999,
                "d": None,
            }
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_the_columns_of_matches_and_dead_letters_are_fixed(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("{}",)], "value string")
    matches = {field.name: field.dataType.simpleString() for field in match(frame, []).schema}
    assert matches == {
        "subscription": "string",
        "events": "array<string>",
        "sources": "array<string>",
        "start": "timestamp",
        "end": "timestamp",
        "detected": "timestamp",
        "place": "string",
        "bindings": "map<string,string>",
        "outputs": "array<string>",
        "id": "string",
    }
    assert dead_letters(frame).columns == [
        "code",
        "reason",
        "token",
        "line",
        "place",
        "subscription",
        "input",
    ]
