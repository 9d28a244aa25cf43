"""A fake host: match tasks and shards as Spark runs them, in this process, with Spark's own
stand-in for the store.

A test compares it with the real one. A worker may be lost at any micro-batch: what it had in memory
is then gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.input.layout import JsonRows
from tocsin.spark.match_task.match_task import MatchTaskConfig
from tocsin.spark.match_task.messages import unpack_results
from tocsin.spark.match_task.stream_task import StreamMatchTask
from tocsin.spark.output.batches import matches_in
from tocsin.spark.output.letters import letters_in
from tocsin.spark.plans.sources import FIXED_VERSION, VERSION, Source
from tocsin.spark.shard import state_store as keeping
from tocsin.spark.shard.detector import Detector
from tocsin.spark.shard.state_apis import RowProcessor


class FakeHost:
    """Micro-batches in, matches and dead letters out."""

    def __init__(self, source: Source, shards: int, pace: ClockSettings) -> None:
        self.matches: list[Match] = []
        self.letters: list[DeadLetter] = []
        self.source = source
        self.shards = shards
        self.tester = TwsTester(
            RowProcessor(Detector(source, shards, pace)),
            timeMode="None" if pace.idle is None else "ProcessingTime",
        )

    def batch(self, *partitions: Sequence[str]) -> None:
        """One micro-batch; each partition has its own match task."""
        by_key: dict[int, list[Row]] = defaultdict(list)
        for lines in partitions:
            for row in self.sent(lines):
                by_key[row["shard"]].append(Row(payload=row["payload"]))
        for key, rows in by_key.items():
            self._keep(self.tester.test(key, rows))

    def wait_until(self, milliseconds: int) -> None:
        """Processing time goes on without events."""
        self._keep(self.tester.setProcessingTime(milliseconds))

    def version(self) -> int:
        """The version of the catalog that the rows of a micro-batch carry."""
        return FIXED_VERSION

    def lose_workers(self) -> None:
        """Whatever was in memory is gone."""
        keeping.WORKER_SHARDS._by_token.clear()

    def sent(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        columns = {
            "value": [line.encode() for line in lines],
            VERSION: [self.version()] * len(lines),
        }
        rows = pa.RecordBatch.from_pydict(columns)
        sending = StreamMatchTask(
            MatchTaskConfig(JsonRows(), self.source, detects=True, is_stream=True), self.shards
        )
        return [row for batch in sending(iter([rows])) for row in batch.to_pylist()]

    def _keep(self, rows: Iterable[Row]) -> None:
        for row in rows:
            table = pa.Table.from_batches([unpack_results(row.payload)])
            self.matches += matches_in(table)
            self.letters += letters_in(table)
