"""A driver that can be killed at any moment: serves the streams of a folder side by side, then
ends. The first has one shard, each after it one more.

Arguments: the folder, which has one folder for each stream, and how many files make a micro-batch.
Matches go to one file for each attempt at a micro-batch, whole or not at all:
`rung/NUMBER.PID.jsonl`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Event

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.spark.shard.scenes import NAMES, PATTERNS
from tests.waiting import PATIENT_SPARK
from tocsin.catalog import Definition, Subscription
from tocsin.spark import local_session, match_with_dead_letters
from tocsin.spark.output.batches import matches_in
from tocsin.spark.versions.optional_names import to_arrow

KEYED = (
    ("each", "rule", "WHEN A THEN B WITHIN 5s FOR EACH v"),
    (
        "one",
        "concept",
        "exists kind.{a} Before not (exists kind.{b}) (4 s anchored) correlate by one v",
    ),
)
"""Composites that all shards serve, each its share, beside `same` of the patterns."""
SUBSCRIPTIONS: list[Subscription | Definition] = [
    *NAMES,
    *(Subscription(id, "opsl", text, horizon="1h") for id, text in PATTERNS.items()),
    *(Subscription(id, language, text, horizon="1h") for id, language, text in KEYED),
]
QUICK_TO_START = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
}
"""A driver that lives for seconds has no use for code that runs fast after minutes."""


def main(folder: Path, files_at_once: int) -> None:
    """Streams are started one by one, since Spark gives the Python process of each but ten seconds
    to start.
    """
    spark = local_session(
        "local[2]", name="tocsin kill test", memory="1g", settings=QUICK_TO_START | PATIENT_SPARK
    )
    folders = sorted(folder.glob("stream*"))
    streams = [Delivery(each, shards) for shards, each in enumerate(folders, 1)]
    queries = [started(spark, each, files_at_once) for each in streams]
    for each in streams:
        each.may_go_on.set()
    for query in queries:
        query.awaitTermination()
    spark.stop()


def started(spark: SparkSession, delivery: Delivery, files_at_once: int) -> StreamingQuery:
    """A query that waits in its first micro-batch."""
    inbox, checkpoint = str(delivery.folder / "inbox"), str(delivery.folder / "checkpoint")
    lines = spark.readStream.format("text").option("maxFilesPerTrigger", files_at_once).load(inbox)
    spark.conf.set("spark.sql.shuffle.partitions", delivery.shards)
    both = match_with_dead_letters(lines, SUBSCRIPTIONS, lateness="5s", shards=delivery.shards)
    writer = both.writeStream.foreachBatch(delivery).option("checkpointLocation", checkpoint)
    query = writer.trigger(availableNow=True).start()
    while not delivery.has_begun.wait(0.1) and query.isActive:
        pass
    return query


class Delivery:
    """Writes the matches of one stream, once all streams have begun."""

    def __init__(self, folder: Path, shards: int) -> None:
        self.folder = folder
        self.shards = shards
        self.has_begun, self.may_go_on = Event(), Event()
        (folder / "rung").mkdir(exist_ok=True)

    def __call__(self, frame: DataFrame, number: int) -> None:
        """One attempt at a micro-batch."""
        text = "".join(each.line() + "\n" for each in matches_in(to_arrow(frame)))
        self.has_begun.set()
        self.may_go_on.wait()
        beside = self.folder / f"{number}.part"
        beside.write_text(text)
        beside.rename(self.folder / "rung" / f"{number}.{os.getpid()}.jsonl")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
