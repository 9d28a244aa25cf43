"""The match tasks where it is settled only later which of several events with one identity counts:
one row per event.

Each event comes with its matches and with what shards want of it, so that an event which does not
count leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, BinaryType, LongType, StringType, StructField, StructType

from tocsin.hosts.pauses import Span
from tocsin.hosts.spark.detection.matched_batch import MatchedRows, served
from tocsin.hosts.spark.detection.messages import Draft, drafts_for
from tocsin.hosts.spark.detection.shards import shard_keys
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.reports import Task
from tocsin.hosts.spark.schemas import BY_EVENT
from tocsin.hosts.spark.sources import Source
from tocsin.hosts.spark.telling import IDS_ONLY, Telling
from tocsin.hosts.spark.worker import ByEvent, Found, Numbers, Serving, blank_row, letters_by_event
from tocsin.values.time import Duration

Identity = tuple[str, str]

_WANTED = pa.list_(
    pa.field(
        "element",
        pa.struct(
            [
                ("shard", pa.int64()),
                ("source", pa.string()),
                ("id", pa.string()),
                ("message", pa.binary()),
            ],
        ),
    )
)
WANTED = StructType(
    [
        *BY_EVENT.fields,
        StructField("version", LongType()),
        StructField(
            "wanted",
            ArrayType(
                StructType(
                    [
                        StructField("shard", LongType()),
                        StructField("source", StringType()),
                        StructField("id", StringType()),
                        StructField("message", BinaryType()),
                    ]
                )
            ),
        ),
    ]
)


@dataclass(frozen=True, slots=True)
class Wanting:
    """Rows of events -> rows by event; the events in `late` reach no shard."""

    layout: Layout
    source: Source
    shards: int
    with_content: bool
    late: frozenset[Identity] = frozenset()
    telling: Telling = IDS_ONLY
    ahead: Duration | None = None

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task."""
        task, letters, spans = Task.current(), Numbers(), Numbers()

        def rows_of(found: MatchedRows) -> Iterator[Any]:
            rung = found.rung()
            told = [*found.letters, *rung.letters]
            if told:
                batch = letters_by_event(told, task, letters.take(len(told)))
                yield _extended(batch, found.version, [[]] * batch.num_rows)
            for span in found.spans(self.late):
                yield _extended(
                    blank_row(task, spans.take(1)),
                    found.version,
                    [self._to_all(found.version, span)],
                )
            yield from self._events(found, rung)

        yield from served(
            batches, Serving(self.layout, self.source, self.telling, self.ahead), rows_of
        )

    def _events(self, found: MatchedRows, rung: Found) -> Iterator[Any]:
        """Rows of events, each with its matches and what shards want of it."""
        wanted, before = self._wanted(found), 0
        for batch in ByEvent(self.layout, self.source, self.with_content).events(rung):
            yield _extended(batch, found.version, wanted[before : before + batch.num_rows])
            before += batch.num_rows

    def _to_all(self, version: int, span: Span) -> list[tuple[int, str, str, bytes]]:
        """To every shard, from when to when there are events, whoever wants them."""
        message = Draft().packed(version, span)
        return [(key, "", "", message) for key in shard_keys(self.shards)]

    def _wanted(self, found: MatchedRows) -> list[list[tuple[int, str, str, bytes]]]:
        """For every event, a message to each shard that wants it."""
        keys = shard_keys(self.shards)
        wanted: list[list[tuple[int, str, str, bytes]]] = [
            [] for _ in range(found.reading.batch.size)
        ]
        for number, event, routes in found.wanted(self.shards):
            if event.identity not in self.late and event.interval is not None:
                drafts = drafts_for(event, routes, {})
                end = event.interval.end
                wanted[number] = [
                    (keys[shard], event.source, event.id, draft.packed(found.version, (end, end)))
                    for shard, draft in drafts.items()
                ]
        return wanted


def _extended(batch: Any, version: int, wanted: list[list[tuple[int, str, str, bytes]]]) -> Any:
    names = ("shard", "source", "id", "message")
    lists = pa.array(
        [[dict(zip(names, each, strict=True)) for each in some] for some in wanted], _WANTED
    )
    versions = pa.array([version] * batch.num_rows, pa.int64())
    return pa.RecordBatch.from_arrays(
        [*batch.columns, versions, lists], names=[*batch.schema.names, "version", "wanted"]
    )
