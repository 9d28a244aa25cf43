"""What passes through a query, counted: events, matches, dead letters, late ones, state, by
subscription.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.builders import event_text
from tests.spark.scenes import selector
from tests.waiting import wait_until
from tocsin.catalog import Subscription
from tocsin.errors import StateProblem
from tocsin.spark import Metrics, Watch, match
from tocsin.values.partition_hash import partition_of

FOLLOWS = Subscription("follows", "opsl", "=|(ARITH: price > 1; 60s)(ARITH: price > 2)")


def line(number: int, second: int, price: int = 5) -> str:
    return event_text(f"e{number}", second=8 * 3600 + second, data={"price": price})


def test_a_batch_query_is_counted_with_its_first_action(spark: SparkSession) -> None:
    rows = [(line(1, 1, 2),), (line(2, 2, 9),), (line(2, 2, 9),), ("{",)]
    events = spark.createDataFrame(rows, "value string")
    watch = Watch("finite")
    found = match(
        events, [selector("any", "price > 1"), selector("dear", "price > 5")], metrics=watch
    )
    assert found.count() == 3
    expected = Metrics(4, 3, 1, 0, 0, {"any": 2, "dear": 1})
    assert watch.get() == expected


def test_nothing_at_all_is_counted_as_nothing(spark: SparkSession) -> None:
    watch = Watch()
    match(spark.createDataFrame([], "value string"), [selector("any")], metrics=watch).collect()
    assert watch.get() == Metrics(0, 0, 0, 0, 0)


def test_what_is_not_watched_says_so() -> None:
    with pytest.raises(StateProblem, match=r"watch\.of"):
        Watch("nobody").get()
    assert Watch("nobody").of(None) is None


def test_a_stream_tells_each_micro_batch_to_a_listener(spark: SparkSession, tmp_path: Path) -> None:
    """The second file has an event that is too late for the composite, and a line that is
    no event.
    """
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "1").write_text(f"{line(1, 10)}\n{line(2, 50)}\n")
    heard: list[Metrics] = []
    watch = Watch("live")
    listener = watch.listener(heard.append)
    spark.streams.addListener(listener)
    try:
        stream = spark.readStream.format("text").load(str(inbox))
        found = match(
            stream, [FOLLOWS, selector("dear", "price > 1")], lateness="1s", metrics=watch
        )
        query = found.writeStream.format("memory").queryName("counted").start()
        query.processAllAvailable()
        (inbox / "2").write_text(f"{line(3, 1)}\n{{\n{line(4, 55)}\n")
        query.processAllAvailable()
        last = watch.of(query.lastProgress)
        query.stop()
        wait_until(lambda: sum(each.events for each in heard) >= 5, progress=lambda: len(heard))
    finally:
        spark.streams.removeListener(listener)
    assert last is not None
    assert (last.query, last.state_rows > 0) == ("counted", True)
    busy = [each for each in heard if each.events]
    assert [(each.events, each.dead_letters, each.late) for each in busy] == [(2, 0, 0), (3, 2, 1)]
    assert [each.by_subscription["dear"] for each in busy] == [2, 2]
    assert [sum(each.by_shard) for each in busy] == [2, 2], (
        "each goes to the one shard that wants it"
    )
    assert [(len(each.by_shard), each.skew) for each in busy] == [(2, 2.0), (2, 2.0)]
    assert sum(each.matches for each in heard) == spark.table("counted").count()
    assert Watch("other").of(query.lastProgress) is None


def test_a_key_spreads_events_over_shards_and_a_skewed_one_is_seen(spark: SparkSession) -> None:
    """Of 40 prices every second event has the same one."""
    keyed = Subscription(
        "keyed", "rule", "WHEN COUNT(selector{ price >= 0 }) >= 2 OVER 1m FOR EACH price"
    )
    rows = [(line(number, number, 0 if number % 2 else number),) for number in range(40)]
    events = spark.createDataFrame(rows, "value string").repartition(2)
    watch = Watch("spread")
    assert match(events, [keyed], shards=4, metrics=watch).count() == 1
    counted = watch.get()
    shares = [0] * 4
    for number in range(40):
        shares[partition_of([0 if number % 2 else number], 4)] += 1
    assert counted.by_shard == tuple(shares)
    assert counted.skew == max(shares) / 10
