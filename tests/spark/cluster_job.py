"""Runs on `local-cluster[2,1,1024]` in its own process: executors are processes of their own,
nothing is shared.

Arguments: the events file, the catalog. Prints matches as JSON Lines: first of a fixed list over
the file, then, after a line `--`, of a live catalog over columns, where the first attempt of a task
adds a subscription and dies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from pyspark import TaskContext
from pyspark.sql import functions as F

from tests.spark.scenes import SUBSCRIPTIONS, found_in, selector
from tocsin.catalog import open_catalog
from tocsin.spark import local_session, match, run_match

MASTER = "local-cluster[2,1,1024]"


class DieOnce:
    """Passes rows on; the first attempt of the first task changes the catalog and takes its worker
    down.
    """

    def __init__(self, catalog: str) -> None:
        self.catalog = catalog

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        context = TaskContext.get()
        yield from batches
        if context is not None and context.partitionId() == 0 and context.attemptNumber() == 0:
            open_catalog(self.catalog).add(selector("added by a task that died"))
            os._exit(1)


def main(events: str, catalog: str) -> None:
    spark = local_session(MASTER, name="tocsin cluster test", memory="1g")
    matches, _ = run_match(SUBSCRIPTIONS, events, master=MASTER, part_bytes=8000)
    print(*(match.line() for match in matches), sep="\n")
    print("--")
    rows = spark.range(40).select(
        F.col("id").cast("string"), F.lit("s").alias("source"), F.lit("t").alias("type")
    )
    dying = rows.repartition(4).mapInArrow(DieOnce(catalog), rows.schema)
    print(
        *(each.line() for each in found_in(match(dying, open_catalog(catalog), deduplicate=False))),
        sep="\n",
    )
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
