"""Composites on `local-cluster[2,1,1024]` in its own process: executors are processes of their own,
nothing is shared.

Arguments: a folder with the files of a stream in `inbox`. Prints matches as JSON Lines: first of a
back-test over all files, then, after a line `--`, of a stream, a file in each micro-batch, whose
Python workers are killed on the way.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark import TaskContext
from pyspark.sql import SparkSession

from tests.spark.cluster_job import MASTER
from tests.spark.scenes import found_in
from tests.spark.shard.driver import SUBSCRIPTIONS
from tocsin.spark import local_session, match, match_with_dead_letters
from tocsin.spark.output.batches import matches_in


@dataclass(frozen=True)
class LosingWorkers:
    """Passes rows on; the first attempt at a task with rows kills all Python workers of its
    executor, itself included.

    A worker that dies leaves a note in the folder.
    """

    notes: Path

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        context = TaskContext.get()
        rows = 0
        for batch in batches:
            rows += batch.num_rows
            yield batch
        if rows and context is not None and context.attemptNumber() == 0:
            (self.notes / str(uuid4())).touch()
            for worker in workers_beside():
                os.kill(worker, signal.SIGKILL)


def workers_beside() -> list[int]:
    """Children of the daemon that this worker is a child of: those that idle, with shards in their
    memory, first.
    """
    children = (
        int(word)
        for word in Path(f"/proc/{os.getppid()}/task/{os.getppid()}/children").read_text().split()
    )
    return sorted(children, key=lambda pid: pid == os.getpid())


def main(folder: Path) -> None:
    spark = local_session(MASTER, name="tocsin cluster test", memory="1g")
    files = spark.read.text(str(folder / "inbox")).repartition(3)
    print(*(each.line() for each in found_in(match(files, SUBSCRIPTIONS))), sep="\n")
    print("--")
    streamed(spark, folder)
    spark.stop()


def streamed(spark: SparkSession, folder: Path) -> None:
    (folder / "lost").mkdir()
    lines = (
        spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(folder / "inbox"))
    )
    dying = lines.repartition(2).mapInArrow(LosingWorkers(folder / "lost"), lines.schema)
    both = match_with_dead_letters(dying, SUBSCRIPTIONS, lateness="5s")

    def deliver(frame: Any, _: int) -> None:
        for each in matches_in(frame.toArrow()):
            print(each.line())

    writer = both.writeStream.foreachBatch(deliver).option(
        "checkpointLocation", str(folder / "checkpoint")
    )
    writer.trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
