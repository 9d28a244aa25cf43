"""What match tasks send to shards: events with the atoms that they are occurrences of, and how far
time has come.

A row is (shard, payload). The first byte of the payload tells what it is: a message for the shard,
or matches and dead letters that only pass through.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tocsin.events.event import Event
from tocsin.hosts.pauses import Span
from tocsin.hosts.spark.catalogs.plan_cache import Route
from tocsin.hosts.spark.tasks.serde import (
    PlainEvent,
    event_of_plain,
    pack,
    plain_event,
    unpack,
)
from tocsin.values.shares import share_of

MESSAGE = b"h"
PASSING = b"p"


@dataclass(frozen=True, slots=True)
class Hit:
    """An event that a shard wants, and the names of the atoms that it is an occurrence of.

    Several shards may get the event; one of them is its `teller`, who reports it if it is late.
    """

    event: Event
    atoms: tuple[bytes, ...]
    teller: bool


@dataclass(frozen=True, slots=True)
class Message:
    """Hits of one catalog version, and the span of all events that the task saw, wanted or not."""

    version: int
    span: Span | None
    hits: tuple[Hit, ...] = ()


@dataclass(slots=True)
class Draft:
    """A message that is being written: every atom's name goes in once."""

    names: dict[bytes, int] = field(default_factory=dict)
    hits: list[tuple[PlainEvent, tuple[int, ...], bool]] = field(default_factory=list)

    def add(self, plain: PlainEvent, atoms: Iterable[bytes], teller: bool) -> None:
        """One more hit."""
        numbers = tuple(self.names.setdefault(name, len(self.names)) for name in atoms)
        self.hits.append((plain, numbers, teller))

    def packed(self, version: int, span: Span | None) -> bytes:
        """The message as the bytes of a row."""
        return MESSAGE + pack((version, span, list(self.names), self.hits))


def message_of(raw: bytes) -> Message:
    """The message of a row's bytes."""
    version, span, names, hits = unpack(raw[1:])
    found = (
        Hit(event_of_plain(plain), tuple(names[number] for number in numbers), teller)
        for plain, numbers, teller in hits
    )
    return Message(version, None if span is None else (span[0], span[1]), tuple(found))


def drafts_for(
    event: Event, routes: Iterable[Route], shards: int, drafts: dict[int, Draft]
) -> dict[int, Draft]:
    """Puts an event into the drafts of all shards that want it, once each."""
    by_shard: dict[int, list[bytes]] = {}
    for route in routes:
        for shard in _shards_of(event, route, shards):
            by_shard.setdefault(shard, []).append(route.name)
    plain, teller = plain_event(event), min(by_shard)
    for shard, names in by_shard.items():
        drafts.setdefault(shard, Draft()).add(plain, names, shard == teller)
    return drafts


def _shards_of(event: Event, route: Route, shards: int) -> Set[int]:
    """Those that want all events of an atom, and for each key the one that has the event's
    share.
    """
    if not route.keys:
        return route.shards
    own = (share_of([event.attribute(path) for path in by], shards) for by in route.keys)
    return route.shards.union(own)


def passing(batch: Any) -> bytes:
    """A record batch of results as the bytes of a row."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return PASSING + packed


def passed(raw: Any) -> Any:
    """The record batch that was packed."""
    with pa.ipc.open_stream(pa.py_buffer(raw)[1:]) as reader:
        return reader.read_next_batch()
