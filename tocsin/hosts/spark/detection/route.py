"""The match tasks of a stream: rows in, rows (shard, payload) out. Every shard hears how far time
has come.

A shard gets an event that it wants once, whatever number of its subscriptions want it. Matches of
atomic subscriptions and dead letters pass through the shard of the task's own number, so that the
source is read once for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tocsin.hosts.garbage import collect_rarely
from tocsin.hosts.spark.detection.matched_batch import MatchedRows, served
from tocsin.hosts.spark.detection.messages import Draft, drafts_for, passing, result_of_letters
from tocsin.hosts.spark.detection.shards import shard_keys
from tocsin.hosts.spark.layout import Layout
from tocsin.hosts.spark.reports import Task
from tocsin.hosts.spark.sources import Source
from tocsin.hosts.spark.telling import IDS_ONLY, Telling
from tocsin.hosts.spark.worker import Serving
from tocsin.values.time import Duration

SENT = "shard bigint, payload binary"

_SCHEMA = pa.schema([("shard", pa.int64()), ("payload", pa.binary())])


@dataclass(frozen=True, slots=True)
class Sending:
    """Rows of events -> (shard, payload)."""

    layout: Layout
    source: Source
    shards: int
    telling: Telling = IDS_ONLY
    ahead: Duration | None = None

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task."""
        collect_rarely()
        mine = Task.current().partition % self.shards

        def rows_of(found: MatchedRows) -> Iterator[Any]:
            yield sent([*passing_rows(found, mine), *message_rows(found, self.shards)], self.shards)

        yield from served(
            batches, Serving(self.layout, self.source, self.telling, self.ahead), rows_of
        )


def passing_rows(found: MatchedRows, shard: int) -> Iterator[tuple[int, bytes]]:
    """What needs no order, for a shard to hand on."""
    if found.letters:
        yield shard, passing(result_of_letters(found.letters))
    for batch in found.rings():
        yield shard, passing(batch)


def message_rows(found: MatchedRows, shards: int) -> Iterator[tuple[int, bytes]]:
    """One message per shard: its events, if there are any, and the span of all events."""
    drafts = {number: Draft() for number in range(shards)}
    for _, event, routes in found.wanted(shards):
        drafts_for(event, routes, drafts)
    span = found.span()
    return ((number, draft.packed(found.version, span)) for number, draft in drafts.items())


def sent(rows: Iterable[tuple[int, bytes]], shards: int) -> Any:
    """Rows as a record batch, shards by their keys."""
    keys = shard_keys(shards)
    numbers, payloads = zip(*rows, strict=True)
    columns = [
        pa.array([keys[number] for number in numbers], pa.int64()),
        pa.array(payloads, pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)
