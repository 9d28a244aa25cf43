"""Matches what is in a topic, twice over one checkpoint, and puts matches and dead letters into two
others.

Arguments: the address of the broker, the three topics, a folder, the jars of the connector.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame

from tocsin.spark import (
    dead_letters_of,
    local_session,
    match_with_dead_letters,
    matches_of,
    matches_to_kafka,
)


def main(broker: str, source: str, matches: str, letters: str, folder: str, jars: str) -> None:
    spark = local_session("local[2]", memory="1g", settings={"spark.jars": jars})
    servers = ("kafka.bootstrap.servers", broker)
    events = (
        spark.readStream.format("kafka")
        .option(*servers)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .option("includeHeaders", "true")
        .load()
    )
    cheap = {"id": "cheap", "language": "selector", "expression": "price < 7"}
    both = match_with_dead_letters(events, [cheap])

    def deliver(batch: DataFrame, _: int) -> None:
        batch.persist()
        told = matches_to_kafka(matches_of(batch))
        told.write.format("kafka").option(*servers).option("includeHeaders", "true").option(
            "topic", matches
        ).save()
        wrong = dead_letters_of(batch).selectExpr("to_json(struct(*)) AS value")
        wrong.write.format("kafka").option(*servers).option("topic", letters).save()
        batch.unpersist()

    for _ in range(2):
        writer = both.writeStream.foreachBatch(deliver).trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(Path(folder) / "checkpoint")).start()
        query.awaitTermination(600)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
