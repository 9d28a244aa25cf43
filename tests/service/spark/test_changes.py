"""Changes have a position in the log on Spark too: a micro-batch ends where the next version begins,
and one that is run again is matched with the same version.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tests.builders import event_text
from tests.service.spark.conftest import Append
from tests.waiting import wait_for_end
from tocsin.catalog import Catalog, Definition, Subscription, create_catalog
from tocsin.service.runner.spark.log import log_stream
from tocsin.service.storage.log_reader import open_log
from tocsin.spark.query.live import LiveSettings, live_results, placed_matches

PAIR = "=|(ARITH: n = 0; 1h)(ARITH: n = 1)"
IN_DEPOT = "@(Depot)(ARITH: n >= 0)"


def event(number: int, value: int) -> str:
    place = f"POINT({10 * value + 5} 5)"
    return event_text(number, second=number, place=place, data={"n": value})


def below(name: str, limit: int) -> Subscription:
    return Subscription(name, "selector", f"n < {limit}")


def depot(limit: int) -> Definition:
    edge = 10 * limit
    return Definition("Depot", region=f"POLYGON((0 0,0 10,{edge} 10,{edge} 0,0 0))")


class Rung:
    """What micro-batches bring about, once each; may fail in one of them."""

    def __init__(self, fails_in: int = -1) -> None:
        self.fails_in = fails_in
        self.batches: dict[int, set[tuple[str, ...]]] = {}

    def __call__(self, frame: DataFrame, number: int) -> None:
        batch = frame.toArrow()
        found = {(each.match.subscription, *each.match.events) for each in placed_matches(batch)}
        if number == self.fails_in:
            self.fails_in = -1
            raise RuntimeError("the sink fails, once")
        self.batches[number] = found

    @property
    def all(self) -> set[tuple[str, ...]]:
        return {each for batch in self.batches.values() for each in batch}


def test_events_are_matched_with_what_stood_when_they_came(
    spark: SparkSession, log_url: str, append: Append, tmp_path: Path
) -> None:
    catalog = create_catalog(str(tmp_path / "catalog.db"))

    def head() -> int:
        return open_log(log_url).bounds()[1]

    catalog.add(depot(1), position=head)
    catalog.put(Subscription("pair", "opsl", PAIR), position=head)
    append(event(1, 0), event(2, 5))
    catalog.put(below("s", 1), position=head)
    catalog.put(Subscription("there", "opsl", IN_DEPOT), position=head)
    append(event(3, 0), event(4, 1), event(5, 5))
    catalog.put(below("s", 2), position=head)
    catalog.replace(depot(2), position=head)
    catalog.put(Subscription("late", "opsl", PAIR), position=head)
    append(event(6, 1), event(7, 5))
    catalog.put(below("s", 2), paused=True, position=head)
    catalog.remove("pair", position=head)
    append(event(8, 0), event(9, 1), event(10, 5))
    catalog.remove("there", "s", position=head)
    append(event(11, 0), event(12, 5))
    rung, checkpoint = Rung(fails_in=2), tmp_path / "checkpoint"
    with pytest.raises(PySparkException, match="fails, once"):
        _run(spark, log_url, catalog, rung, checkpoint)
    catalog.put(below("s", 9), position=head)
    _run(spark, log_url, catalog, rung, checkpoint)
    assert rung.all == {
        ("s", "3"),
        ("there", "3"),
        ("pair", "1", "4"),
        ("s", "6"),
        ("there", "6"),
        ("pair", "3", "6"),
        ("there", "8"),
        ("there", "9"),
        ("late", "8", "9"),
    }


def _run(spark: SparkSession, log_url: str, catalog: Catalog, rung: Rung, checkpoint: Path) -> None:
    """All that is there, and no more."""
    rows = log_stream(spark, log_url, catalog=catalog.url)
    settings = LiveSettings(lateness="0s", idle=None, ahead=None, shards=1)
    frame = live_results(rows, catalog.url, settings)
    writer = frame.writeStream.foreachBatch(rung).option("checkpointLocation", str(checkpoint))
    wait_for_end(writer.trigger(availableNow=True).start())
