"""The table by event: a row per event, with its matches and its messages to shards, or per dead
letter.

Needed if it is decided later which of several events with one identity counts: the others must
leave no results. A dead letter, and a row that only gives shards the span of event times, has a
unique identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from tocsin.events.event import Event
from tocsin.runtime.gc_tuning import a_task
from tocsin.runtime.watermark import Span
from tocsin.spark.match_task.match_task import (
    Identity,
    MatchedRows,
    MatchTaskConfig,
    run_match_task,
)
from tocsin.spark.match_task.messages import ShardMessageBuilder, drafts_for
from tocsin.spark.match_task.reports import Task
from tocsin.spark.output.batches import MATCH, MAX_MATCHES
from tocsin.spark.output.letters import DEAD_LETTER, Letter, letter_array
from tocsin.spark.plans.shard_plans import Route, shard_keys

Want = tuple[int, int | None, str, str, bytes]
"""The key of a shard, start, source and id of the event, and the message to the shard.

The event is that of the row, or one constructed from it, which has the same end.
"""

_WANT = pa.struct(
    [
        ("shard", pa.int64()),
        ("start", pa.int64()),
        ("source", pa.string()),
        ("id", pa.string()),
        ("message", pa.binary()),
    ]
)
_WANTED = pa.list_(pa.field("element", _WANT))
_MATCHES = pa.list_(pa.field("element", MATCH))
_TABLE = pa.schema(
    [
        ("identity", pa.binary()),
        ("end", pa.int64()),
        ("start", pa.int64()),
        ("content", pa.string()),
        ("matches", _MATCHES),
        ("dead_letter", DEAD_LETTER),
        ("version", pa.int64()),
        ("wanted", _WANTED),
    ]
)
BY_EVENT = StructType([StructField(each.name, from_arrow_type(each.type)) for each in _TABLE])


@dataclass(frozen=True, slots=True)
class ByEvent:
    """Match task: rows -> rows by event.

    The content as text is added only on request. Without shards there are no messages; the events
    in `late` are sent to none.
    """

    serving: MatchTaskConfig
    with_content: bool
    shards: int = 0
    late: frozenset[Identity] = frozenset()

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run one task."""
        names = _RowIdentities(Task.current())

        def rows_of(found: MatchedRows) -> Iterator[Any]:
            for each in (found, *(built.rows for built in found.built)):
                if each.letters:
                    yield _letter_rows(each, names)
            if self.shards:
                for span in found.spans(self.late):
                    yield self._span_row(found.version, span, names)
            yield from self._event_rows(found)

        with a_task():
            yield from run_match_task(batches, self.serving, rows_of)

    def _span_row(self, version: int, span: Span, names: _RowIdentities) -> Any:
        """Return a row with the span of event times for every shard, used by composites or not."""
        message = ShardMessageBuilder().packed(version, span)
        wanted = [[(key, None, "", "", message) for key in shard_keys(self.shards)]]
        return _rows(version, identity=[names.take("blank ")], wanted=_wanted_array(wanted))

    def _event_rows(self, found: MatchedRows) -> Iterator[Any]:
        """Yield rows of events in reading order, cut to limit the matches per batch.

        Events constructed from an event are in its row: if the event does not count, neither do
        they.
        """
        size = found.reading.batch.size
        if size == 0:
            return
        heads = found.reading.heads(np.arange(size), places=False)
        contents = found.reading.contents() if self.with_content else [None] * size
        identities = [_identity(*who) for who in heads.identities()]
        bounds = np.searchsorted(found.rings.events, np.arange(size + 1)).astype(np.int32)
        wanted = self._wanted(found)
        for first, last in _portions(bounds):
            some = slice(first, last)
            yield _rows(
                found.version,
                identity=identities[some],
                end=heads.ends[some],
                start=heads.starts[some],
                content=contents[some],
                matches=_matches_by_event(found, bounds, first, last),
                wanted=None if wanted is None else _wanted_array(wanted[some]),
            )

    def _wanted(self, found: MatchedRows) -> list[list[Want]] | None:
        """Return for every event its messages to shards; None if no event has any."""
        if not self.shards or not (found.relevant or found.built):
            return None
        batch = found.reading.batch
        wanted: list[list[Want]] = [[] for _ in range(batch.size)]
        for rows, origins in ((found, range(batch.size)), *found.built):
            for number, event, routes in rows.wanted(self.shards):
                if batch.event(origins[number]).identity not in self.late:
                    wanted[origins[number]] += self._wants(event, routes, found.version)
        return wanted

    def _wants(self, event: Event, routes: Iterable[Route], version: int) -> Iterator[Want]:
        assert event.interval is not None, "what has no time can be part of no composite"
        keys, (start, end) = shard_keys(self.shards), (event.interval.start, event.interval.end)
        for shard, draft in drafts_for(event, routes, self.shards).items():
            packed = draft.packed(version, (end, end))
            yield keys[shard], start, event.source, event.id, packed


def _matches_by_event(found: MatchedRows, bounds: Any, first: int, last: int) -> Any:
    """Return the matches of events `first` to `last`, exclusive, and of those constructed from
    them.

    One list for each event.
    """
    low, high = int(bounds[first]), int(bounds[last])
    matches = found.matches(low, high)
    if not found.built:
        offsets = pa.array(bounds[first : last + 1] - bounds[first])
        return pa.ListArray.from_arrays(offsets, matches, type=_MATCHES)
    owners, arrays = [found.rings.events[low:high]], [matches]
    for rows, origins in found.built:
        at = np.asarray(origins, np.int32)[rows.rings.events]
        chosen = np.flatnonzero((at >= first) & (at < last))
        owners.append(at[chosen])
        arrays.append(rows.matches(0, len(rows.rings)).take(pa.array(chosen)))
    by_owner = np.argsort(joined := np.concatenate(owners), kind="stable")
    ends = np.searchsorted(joined[by_owner], np.arange(first, last + 1)).astype(np.int32)
    whole = pa.concat_arrays(arrays).take(pa.array(by_owner))
    return pa.ListArray.from_arrays(pa.array(ends), whole, type=_MATCHES)


class _RowIdentities:
    """Generator of unique identities for rows that are not events, equal if a task is retried."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._next = 0

    def take(self, kind: str = "") -> bytes:
        """Return the next identity."""
        self._next += 1
        return f"{kind}{self._task.batch} {self._task.partition} {self._next}".encode()


def _letter_rows(found: MatchedRows, names: _RowIdentities) -> Any:
    letters: Sequence[Letter] = found.letters
    return _rows(
        found.version,
        identity=[names.take() for _ in letters],
        dead_letter=letter_array(letters),
    )


def _rows(version: int, **columns: Any) -> Any:
    """Return rows of the table; a column that is not given is null, `wanted` is an empty list."""
    count = len(columns["identity"])
    given = {"version": pa.array([version] * count, pa.int64()), **columns}
    if given.get("wanted") is None:
        given["wanted"] = _wanted_array([[]] * count)
    arrays = [
        _array(given[each.name], each.type) if each.name in given else pa.nulls(count, each.type)
        for each in _TABLE
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=_TABLE)


def _array(given: Any, type: pa.DataType) -> Any:
    return given if isinstance(given, pa.Array) else pa.array(given, type)


def _wanted_array(wanted: Sequence[Sequence[Want]]) -> Any:
    offsets = np.cumsum([0, *map(len, wanted)], dtype=np.int32)
    flat = list(zip(*(each for some in wanted for each in some), strict=True))
    columns = flat or [()] * _WANT.num_fields
    fields = list(_WANT)
    arrays = [pa.array(each, field.type) for each, field in zip(columns, fields, strict=True)]
    wants = pa.StructArray.from_arrays(arrays, fields=fields)
    return pa.ListArray.from_arrays(pa.array(offsets), wants, type=_WANTED)


def _portions(bounds: Any) -> Iterator[tuple[int, int]]:
    """Yield ranges of events, each with about the number of matches of one Arrow batch."""
    first, size = 0, len(bounds) - 1
    while first < size:
        last = int(np.searchsorted(bounds, bounds[first] + MAX_MATCHES, side="right")) - 1
        last = min(max(last, first + 1), size)
        yield first, last
        first = last


def _identity(source: str, id: str) -> bytes:
    """Return a 16-byte hash of (source, id); the length of the source separates the two."""
    encoded = source.encode()
    return blake2b(b"%d:" % len(encoded) + encoded + id.encode(), digest_size=16).digest()
