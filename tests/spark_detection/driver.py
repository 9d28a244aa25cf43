"""A driver that can be killed at any moment: serves all files of a folder, then ends.

Arguments: the folder. Matches go to one file per micro-batch, whole or not at all, so that a micro-batch that is run
again writes the same file again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.spark_detection.scenes import NAMES, PATTERNS
from tocsin.catalog import Subscription
from tocsin.hosts.spark.finite import matches_in
from tocsin.spark import local_session, match_with_dead_letters

SUBSCRIPTIONS = [*NAMES, *(Subscription(id, "opsl", text, horizon="1h") for id, text in PATTERNS.items())]


def main(folder: Path) -> None:
    spark = local_session("local[2]", name="tocsin kill test", memory="1g")
    lines = spark.readStream.format("text").option("maxFilesPerTrigger", 1).load(str(folder / "inbox"))
    both = match_with_dead_letters(lines, SUBSCRIPTIONS, lateness="5s")
    (folder / "rung").mkdir(exist_ok=True)

    def deliver(frame: Any, number: int) -> None:
        text = "".join(each.line() + "\n" for each in matches_in(frame.toArrow()))
        beside = folder / f"{number}.part"
        beside.write_text(text)
        beside.rename(folder / "rung" / f"{number}.jsonl")

    writer = both.writeStream.foreachBatch(deliver).option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
