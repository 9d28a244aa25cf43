"""From rows by event to rows (shard, payload), where a stream remembers identities: what was
dropped sends nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tocsin.hosts.spark.detection.messages import Draft, passing, results
from tocsin.hosts.spark.detection.route import sent
from tocsin.hosts.spark.detection.shards import shard_keys
from tocsin.hosts.spark.reports import Task
from tocsin.hosts.spark.rows import DEAD_LETTER, MATCH


@dataclass(frozen=True, slots=True)
class Forwarding:
    """Rows by event -> (shard, payload)."""

    shards: int

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The work of one task."""
        mine = Task.current().partition % self.shards
        for rows in batches:
            if rows.num_rows:
                yield sent([*_passing_rows(rows, mine), *self._message_rows(rows)], self.shards)

    def _message_rows(self, rows: Any) -> Iterator[tuple[int, bytes]]:
        """What shards want of the events, and to every shard how far time has come."""
        number_of = {key: number for number, key in enumerate(shard_keys(self.shards))}
        for wanted in rows.column("wanted").to_pylist():
            for each in wanted or ():
                yield number_of[each["shard"]], each["message"]
        ends, version = (
            pc.min_max(rows.column("end")).as_py(),
            pc.max(rows.column("version")).as_py(),
        )
        span = None if ends["min"] is None else (ends["min"], ends["max"])
        for number in range(self.shards):
            yield number, Draft().packed(version, span)


def _passing_rows(rows: Any, shard: int) -> Iterator[tuple[int, bytes]]:
    letters = rows.column("dead_letter").drop_null()
    if len(letters):
        yield shard, passing(results(pa.nulls(len(letters), MATCH), letters.cast(DEAD_LETTER)))
    matches = rows.column("matches").flatten()
    if len(matches):
        yield shard, passing(results(matches.cast(MATCH), pa.nulls(len(matches), DEAD_LETTER)))
