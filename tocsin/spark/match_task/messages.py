"""Messages from match tasks to shards: events with the atoms that they match, and the progress of
time.

A row is (shard, payload). The first byte of the payload gives its kind: a message for the shard, or
matches and dead letters that pass through. A message is columns: the texts of all its events in one
piece, which the shard scans as the match task did, and for each the number of its set of atoms. A
small number of events, and events without their text, are sent as plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tocsin.engine.json_scan.batch_reader import MIN_TEXTS, scan_events
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event, ScannedEvent
from tocsin.runtime.watermark import Span
from tocsin.spark.match_task.serde import (
    PlainEvent,
    event_of_plain,
    pack,
    plain_event,
    unpack,
)
from tocsin.spark.plans.shard_plans import Route
from tocsin.values.partition_hash import partition_of

MESSAGE = b"h"
PASSING = b"p"

Names = tuple[bytes, ...]
"""The names of atoms."""

_INT = np.dtype("<i4")


class RoutedEvent(NamedTuple):
    """An event for a shard, and the names of the atoms that it matches.

    Several shards may get the event; one of them is its `reports_late`, which reports it if it is
    late.
    """

    event: Event
    atoms: Names
    reports_late: bool


@dataclass(frozen=True, slots=True)
class ShardMessage:
    """Events of one catalog version, and the span of all events that the task has read."""

    version: int
    span: Span | None
    hits: Sequence[RoutedEvent] = ()


@dataclass(slots=True)
class ShardMessageBuilder:
    """A message under construction; each different set of atoms is stored once."""

    events: list[Event] = field(default_factory=list)
    _sets: dict[Names, int] = field(default_factory=dict)
    _numbers: list[int] = field(default_factory=list)
    _tellers: bytearray = field(default_factory=bytearray)

    def number_of(self, atoms: Names) -> int:
        """Return the number of a set of atoms."""
        return self._sets.setdefault(atoms, len(self._sets))

    def add(self, event: Event, number: int, reports_late: bool) -> None:
        """Add an event with the number of its set of atoms."""
        self.events.append(event)
        self._numbers.append(number)
        self._tellers.append(reports_late)

    def packed(self, version: int, span: Span | None) -> bytes:
        """Return the message as the bytes of a row."""
        numbers = np.array(self._numbers, _INT).tobytes()
        columns = (list(self._sets), numbers, bytes(self._tellers), *_written(self.events))
        return MESSAGE + pack((version, span, *columns))


def message_of(raw: bytes) -> ShardMessage:
    """Return the message of a row's bytes."""
    version, span, *columns = unpack(raw[1:])
    hits = _former_hits(*columns) if len(columns) == 2 else _hits(*columns)
    return ShardMessage(version, None if span is None else (span[0], span[1]), hits)


def _hits(
    sets: list[Names], numbers: bytes, tellers: bytes, texts: bytes, sizes: bytes, others: Any
) -> list[RoutedEvent]:
    atoms = map(sets.__getitem__, np.frombuffer(numbers, _INT).tolist())
    return list(map(RoutedEvent, _read(texts, sizes, others), atoms, map(bool, tellers)))


def _former_hits(
    names: list[bytes], hits: list[tuple[PlainEvent, tuple[int, ...], bool]]
) -> list[RoutedEvent]:
    """Read the events of the format before columns; a state store may hold such messages."""
    return [
        RoutedEvent(event_of_plain(plain), tuple(names[number] for number in numbers), teller)
        for plain, numbers, teller in hits
    ]


def _written(events: Sequence[Event]) -> tuple[bytes, bytes, list[PlainEvent]]:
    """Return the joined texts of events, the size of each, and the others as plain data with size
    -1.
    """
    texts = [event.raw if type(event) is ScannedEvent else None for event in events]
    if len(texts) - texts.count(None) < MIN_TEXTS:
        texts = [None] * len(events)
    sizes = np.array([-1 if text is None else len(text) for text in texts], _INT)
    others = [plain_event(event) for event, text in zip(events, texts, strict=True) if text is None]
    return b"".join(filter(None, texts)), sizes.tobytes(), others


def _read(joined: bytes, sizes: bytes, others: Iterable[PlainEvent]) -> list[Event]:
    """Return the events of joined texts; a text that the scanner refuses goes to the codec."""
    lengths = np.frombuffer(sizes, _INT).tolist()
    bounds = pairwise(accumulate((max(0, each) for each in lengths), initial=0))
    texts = [joined[begin:end] for begin, end in bounds]
    rest = iter(others)
    return [
        scanned or (event_of_plain(next(rest)) if length < 0 else decode(text))
        for scanned, length, text in zip(scan_events(texts), lengths, texts, strict=True)
    ]


def drafts_for(
    event: Event, routes: Iterable[Route], shards: int
) -> dict[int, ShardMessageBuilder]:
    """Return a draft for each of the shards that need an event."""
    by_shard: dict[int, list[bytes]] = {}
    for route in routes:
        for shard in _shards_of(event, route, shards):
            by_shard.setdefault(shard, []).append(route.name)
    teller = min(by_shard)
    drafts = {shard: ShardMessageBuilder() for shard in by_shard}
    for shard, draft in drafts.items():
        draft.add(event, draft.number_of(tuple(by_shard[shard])), shard == teller)
    return drafts


def _shards_of(event: Event, route: Route, shards: int) -> Set[int]:
    """Return the shards that get all events of an atom and, for each key, the event's partition."""
    if not route.keys:
        return route.shards
    own = (partition_of([event.attribute(path) for path in by], shards) for by in route.keys)
    return route.shards.union(own)


def pack_results(batch: Any) -> bytes:
    """Return a record batch of results as the bytes of a row."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return PASSING + packed


def unpack_results(raw: Any) -> Any:
    """Return the record batch of a row's bytes."""
    with pa.ipc.open_stream(pa.py_buffer(raw)[1:]) as reader:
        return reader.read_next_batch()
