"""The log as a source of Spark: positions are offsets, what is run again reads the same, what is
gone is told.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sql
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tests.builders import event_text
from tests.service.spark.conftest import BOTH, Append
from tests.waiting import wait_for_end
from tocsin.service.runner.spark.log import log_stream, log_table
from tocsin.spark import match


def event(number: int) -> str:
    return event_text(number, data={"n": number})


class Sink:
    """Keeps, of each micro-batch, the positions that were in it; may fail once."""

    def __init__(self, fails_in: int = -1) -> None:
        self.batches: dict[int, list[int]] = {}
        self.tries: list[tuple[int, list[int]]] = []
        self.fails_in = fails_in

    @property
    def positions(self) -> list[int]:
        return [position for batch in self.batches.values() for position in batch]

    def __call__(self, batch: DataFrame, number: int) -> None:
        positions = sorted(row.position for row in batch.select("position").collect())
        self.tries.append((number, positions))
        if number == self.fails_in:
            self.fails_in = -1
            raise RuntimeError("the sink fails, once")
        self.batches[number] = positions


def run(frame: DataFrame, sink: Sink, checkpoint: Path) -> None:
    """All that is there, and no more."""
    writer = frame.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    wait_for_end(writer.trigger(availableNow=True).start())


@BOTH
def test_a_batch_has_all_rows_in_their_parts(
    spark: SparkSession, log_url: str, append: Append
) -> None:
    append(*(event(number) for number in range(1, 26)), None)
    table = log_table(spark, log_url, partitions=4)
    rows = sorted(table.collect(), key=lambda row: row.position)
    assert [row.position for row in rows] == list(range(1, 27))
    assert [bytes(row.value).decode() for row in rows[:25]] == [event(n) for n in range(1, 26)]
    assert rows[25].value is None, "what was refused has no value"
    assert table.rdd.getNumPartitions() == 4
    some = log_table(spark, log_url, start=5, end=8)
    assert sorted(row.position for row in some.collect()) == [6, 7, 8]


def test_a_back_test_matches_the_log(spark: SparkSession, log_url: str, append: Append) -> None:
    append(*(event(number) for number in range(1, 11)))
    found = match(
        log_table(spark, log_url),
        [{"id": "few", "language": "selector", "expression": "n < 4"}],
        keep=["position"],
    )
    assert sorted((row.events[0], row.position) for row in found.collect()) == [
        ("1", 1),
        ("2", 2),
        ("3", 3),
    ]


def test_a_stream_goes_on_where_it_stopped(
    spark: SparkSession, log_url: str, append: Append, tmp_path: Path
) -> None:
    append(*(event(number) for number in range(1, 8)))
    sink = Sink()
    run(log_stream(spark, log_url, maxRowsPerBatch=3), sink, tmp_path / "c")
    assert [each for each in sink.batches.values() if each] == [[1, 2, 3], [4, 5, 6], [7]]
    append(event(8))
    run(log_stream(spark, log_url, maxRowsPerBatch=3), sink, tmp_path / "c")
    assert sorted(sink.positions) == [1, 2, 3, 4, 5, 6, 7, 8]


@BOTH
def test_a_micro_batch_that_is_run_again_reads_the_same(
    spark: SparkSession, log_url: str, append: Append, tmp_path: Path
) -> None:
    append(event(1), event(2))
    sink = Sink(fails_in=0)
    with pytest.raises(PySparkException, match="fails, once"):
        run(log_stream(spark, log_url), sink, tmp_path / "c")
    append(event(3))
    run(log_stream(spark, log_url), sink, tmp_path / "c")
    assert sink.tries[:2] == [(0, [1, 2]), (0, [1, 2])]
    assert sink.positions == [1, 2, 3]


def test_a_stream_may_begin_at_the_end(
    spark: SparkSession, log_url: str, append: Append, tmp_path: Path
) -> None:
    append(event(1), event(2))
    sink = Sink()
    run(log_stream(spark, log_url, start="latest"), sink, tmp_path / "c")
    append(event(3))
    run(log_stream(spark, log_url, start="latest"), sink, tmp_path / "c")
    assert sink.positions == [3]


def test_rows_that_are_gone_are_told_not_skipped(
    spark: SparkSession, log_url: str, append: Append, tmp_path: Path
) -> None:
    append(event(1))
    sink = Sink()
    run(log_stream(spark, log_url), sink, tmp_path / "c")
    append(event(2), event(3), event(4))
    with sql.create_engine(log_url).begin() as connection:
        connection.execute(sql.text("DELETE FROM tocsin_events WHERE position < 4"))
    with pytest.raises(PySparkException, match="the log begins after 3"):
        run(log_stream(spark, log_url), sink, tmp_path / "c")


def test_another_log_is_not_read_on(
    spark: SparkSession, log_url: str, append: Append, tmp_path: Path
) -> None:
    append(event(1), event(2))
    run(log_stream(spark, log_url), Sink(), tmp_path / "c")
    with sql.create_engine(log_url).begin() as connection:
        connection.execute(sql.text("UPDATE tocsin_heads SET position = 1"))
    with pytest.raises(PySparkException, match="the log ends at 1"):
        run(log_stream(spark, log_url), Sink(), tmp_path / "c")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"partitions": 0}, "partitions is a number of 1 or more"),
        ({"start": "noon"}, "'noon' is no position of a log"),
    ],
)
def test_wrong_options_are_told(
    spark: SparkSession, log_url: str, append: Append, options: dict[str, object], reason: str
) -> None:
    append(event(1))
    with pytest.raises(PySparkException, match=reason):
        log_table(spark, log_url, **options).collect()


def test_a_log_that_is_not_there_is_told_and_not_made(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PySparkException, match="cannot be read"):
        log_table(spark, f"sqlite:///{tmp_path / 'none.db'}").collect()
    assert not (tmp_path / "none.db").exists()
