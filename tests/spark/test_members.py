"""The column `members` on Spark: complete events or RDF, of atoms and composites, in batches and
streams.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from tests.cli.test_commands import lines_of
from tests.cli.test_content import DOCUMENT, EVENTS, GRAPH, SUBSCRIPTIONS, require_told
from tests.events.test_content import SPECIAL
from tests.spark.scenes import selector
from tests.spark.shard.scenes import Stream
from tocsin.catalog import Subscription, create_catalog
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import content
from tocsin.spark import dead_letters_of, match, match_with_dead_letters, matches_of, run_match

ALL = selector("all")
STRUCT = (
    "array<struct<id:string,source:string,type:string,time:timestamp,endtime:timestamp,place:string,"
    "datacontenttype:string,data:string,json:string,rdf:string>>"
)


def frame_of(spark: SparkSession, bodies: list[dict[str, Any]]) -> DataFrame:
    return spark.createDataFrame(
        [(json.dumps(each).replace("Infinity,", "1e999,"),) for each in bodies], "value string"
    )


def kind_of(frame: DataFrame) -> str | None:
    return {field.name: field.dataType.simpleString() for field in frame.schema}.get("members")


def test_events_come_as_structs_and_can_be_matched_again(spark: SparkSession) -> None:
    special = [
        each | {"id": f"e{number}"}
        for number, each in enumerate(SPECIAL)
        if "Infinity" not in json.dumps(each)
    ]
    found = match(frame_of(spark, special), [ALL], content="events").persist()
    assert kind_of(found) == STRUCT
    by_id = {row.members[0].id: row.members[0] for row in found.collect()}
    for body in special:
        event, told = from_mapping(body), by_id[body["id"]]
        assert content(from_mapping(json.loads(told.json))) == content(event)
        assert (told.source, told.type, told.rdf) == (event.source, event.type, None)
        assert (
            told.time.timestamp() * 1e6 == event.interval.start
            if event.interval
            else told.time is None
        )
    again = found.select(F.explode("members").alias("member")).select("member.*")
    as_text = found.select(F.explode("members.json").alias("value"))
    ids = sorted(row.id for row in found.collect())
    assert sorted(row.id for row in match(again, [ALL]).collect()) == ids
    assert sorted(row.id for row in match(as_text, [ALL]).collect()) == ids
    data = {
        row.members[0].id: row.members[0].data
        for row in match(again, [ALL], content="events").collect()
    }
    bytes_in = {
        id for id, each in by_id.items() if each.datacontenttype == "application/octet-stream"
    }
    assert data | dict.fromkeys(bytes_in) == {
        id: None if id in bytes_in else by_id[id].data for id in by_id
    }


def test_a_file_is_told_as_by_the_local_host(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(lines_of([*EVENTS, DOCUMENT]))
    entries = [Subscription.from_json(each) if "id" in each else each for each in SUBSCRIPTIONS]
    contents = {
        each.id: each.content or "events" for each in entries if isinstance(each, Subscription)
    }
    found, letters = run_match(entries, str(path), session=spark, with_members=True)
    require_told([json.loads(each.line(contents[each.subscription])) for each in found])
    assert letters == []
    assert all(each.members == () for each in run_match([ALL], str(path), session=spark)[0])


def test_the_option_says_what_the_column_is_and_a_subscription_what_is_in_it(
    spark: SparkSession,
) -> None:
    frame = frame_of(spark, EVENTS)
    rows = {
        row.subscription: row for row in match(frame, SUBSCRIPTIONS, content="events").collect()
    }
    assert (rows["then"].sources, [each.source for each in rows["then"].members]) == (
        ["s1", "s2"],
        ["s1", "s2"],
    )
    assert rows["silence"].members is None
    assert [each.rdf for each in rows["turtle"].members] == [GRAPH.format("a"), GRAPH.format("b")]
    rows = {row.subscription: row for row in match(frame, SUBSCRIPTIONS, content="rdf").collect()}
    assert rows["then"].members == rows["turtle"].members == [GRAPH.format("a"), GRAPH.format("b")]
    assert rows["silence"].members is None

    rdf = Subscription("s", "selector", "", deliver={"content": "rdf"})
    whole = Subscription("t", "selector", "", deliver={"content": "events"})
    assert [kind_of(match(frame, each)) for each in ([ALL], [ALL, rdf], [rdf, whole])] == [
        None,
        "array<string>",
        STRUCT,
    ]
    texts = {
        row.subscription: row.members
        for row in match(frame, [rdf, whole], content="rdf").limit(6).collect()
    }
    assert texts["s"][0].startswith("_:H")
    assert json.loads(texts["t"][0]) in EVENTS


def test_who_asks_when_there_is_no_column_rings_and_is_told_so(
    spark: SparkSession, tmp_path: Path
) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))
    catalog.add(ALL)
    both = match_with_dead_letters(frame_of(spark, EVENTS[:1]), catalog)
    catalog.add(Subscription("late", "selector", "", deliver={"content": "events"}))
    assert sorted(row.subscription for row in matches_of(both).collect()) == ["all", "late"]
    (letter,) = dead_letters_of(both).collect()
    assert (letter.code, letter.subscription) == ("ContentError", "late")
    assert 'content="events"' in letter.reason


def test_a_stream_tells_members_through_its_state(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(spark, tmp_path, {"content": "events", "lateness": "1s"})
    for each in (*EVENTS, {**DOCUMENT, "id": "last", "time": "2026-01-01T01:00:00Z"}):
        stream.put([json.dumps(each)])
    stream.run([each for each in SUBSCRIPTIONS if each.get("id", "then") in ("then", "atom")])
    told = {each.subscription: each for each in stream.all_matches()}
    assert [content(event) for event in told["then"].members] == [
        content(from_mapping(each)) for each in EVENTS[:2]
    ]
    assert told["then"].sources == ("s1", "s2")
    assert [event.source for event in told["atom"].members] == ["s3"]
