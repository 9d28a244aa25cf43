"""Decoding of Arrow batches: events for the engine, and a dead letter for every other row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from tocsin.engine.columns.batch import Batch, EventBatch
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.events.codecs.bindings import events_in_body
from tocsin.events.codecs.reception import EventEndRule, stamp_reception
from tocsin.events.event import Event
from tocsin.events.order import content
from tocsin.spark.input.columns import ColumnReading, event_of_object
from tocsin.spark.input.kafka import (
    HEADERS,
    events_of_record,
    shown_record,
)
from tocsin.spark.input.layout import (
    CAME,
    LINE,
    ORIGIN,
    VALUE,
    EventColumns,
    JsonRows,
    Layout,
)
from tocsin.spark.input.table import EventTable, shown_object
from tocsin.spark.output.carried_columns import KEPT, attach_columns
from tocsin.spark.output.headers import INSTANT, Heads, heads_of_events
from tocsin.spark.output.letters import Letter, letter_of_fault


class RowBatch(Protocol):
    """The events of one Arrow batch, numbered from 0, and the dead letters of the other rows."""

    @property
    def letters(self) -> Sequence[Letter]:
        """One dead letter for every row that is not an event."""
        ...

    @property
    def batch(self) -> EventBatch:
        """The events, for the engine."""
        ...

    def heads(self, at: Any, *, places: bool = True) -> Heads:
        """Return the match fields of the events with the given numbers; without `places`, all
        places are null.
        """
        ...

    def ends(self) -> Any:
        """Return the end of each event, in microseconds; null if it has no time."""
        ...

    def contents(self) -> list[str]:
        """Return each event as text, which orders events of one identity and one time."""
        ...


@dataclass(frozen=True, slots=True)
class EventRowBatch:
    """Events in memory; those whose texts were scanned are decoded on demand."""

    events: Sequence[Event]
    letters: Sequence[Letter]
    batch: Batch = field(init=False)
    """The events, for the engine; its columns are built once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "batch", Batch(self.events))

    def heads(self, at: Any, *, places: bool = True) -> Heads:
        """Return the match fields of the events with the given numbers."""
        different, back = np.unique(at, return_inverse=True)
        return heads_of_events(
            [self.events[number] for number in different.tolist()], places=places
        ).take(back)

    def ends(self) -> Any:
        """Return the end of each event."""
        intervals = (event.interval for event in self.events)
        return pa.array([each and each.end for each in intervals], pa.int64())

    def contents(self) -> list[str]:
        """Return each event as text."""
        return [content(event) for event in self.events]


def read(rows: Any, layout: Layout) -> RowBatch:
    """Decode one Arrow batch of rows in the given layout."""
    match layout:
        case JsonRows(ends):
            return _sorted_out(_json_events(rows, ends))
        case EventColumns(names, by_row, ends):
            table = EventTable(rows, names)
            return _sorted_out(_table_events(table, ends)) if by_row else ColumnReading(table, ends)


def _sorted_out(found: Iterator[Event | Letter]) -> EventRowBatch:
    events: list[Event] = []
    letters: list[Letter] = []
    for each in found:
        if isinstance(each, Event):
            events.append(each)
        else:
            letters.append(each)
    return EventRowBatch(events, letters)


def _json_events(rows: Any, ends: EventEndRule) -> Iterator[Event | Letter]:
    lines, origins, came, kept, headers = (
        _column(rows, name) for name in (LINE, ORIGIN, CAME, KEPT, HEADERS)
    )
    times = None if came is None else came.cast(INSTANT).cast(pa.int64())
    values = rows.column(VALUE).to_pylist()
    records = [None] * len(values) if headers is None else headers.to_pylist()
    is_plain = kept is None and ends is EventEndRule.START
    usual = _scanned(values, records) if is_plain else [None] * len(values)
    for number, (raw, record, scanned) in enumerate(zip(values, records, usual, strict=True)):
        if scanned is not None:
            yield scanned
            continue
        try:
            events = events_of_record(raw, record) if record else events_in_body(raw)
            if kept is not None:
                events = [attach_columns(event, kept[number].as_py()) for event in events]
            if ends is EventEndRule.RECEPTION:
                now = None if times is None else times[number].as_py()
                events = [stamp_reception(event, now) for event in events]
            yield from events
        except Exception as error:
            line = lines[number].as_py() if lines is not None else None
            origin = origins[number].as_py() if origins is not None else None
            yield letter_of_fault(error, shown_record(raw, record), line, origin)


def _scanned(values: Sequence[bytes | None], records: Sequence[Any]) -> Sequence[Event | None]:
    """Scan the texts together; None for a row that needs the codec, or has headers."""
    pairs = zip(values, records, strict=True)
    return scan_events([b"" if raw is None or record else raw for raw, record in pairs])


def _column(rows: Any, name: str) -> Any:
    return rows.column(name) if name in rows.schema.names else None


def _table_events(table: EventTable, ends: EventEndRule) -> Iterator[Event | Letter]:
    for number, found in enumerate(table.objects()):
        try:
            yield event_of_object(found, ends)
        except Exception as error:
            yield letter_of_fault(error, shown_object(found), origin=table.text(ORIGIN, number))
