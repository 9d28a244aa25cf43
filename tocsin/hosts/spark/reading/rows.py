"""Arrow batches of rows, read: events for the engine, and a dead letter for every row that
is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from tocsin.engine.batch import Batch, EventBatch
from tocsin.events.codecs.bindings import events_in_body
from tocsin.events.event import Event
from tocsin.events.order import content
from tocsin.events.reception import Ends, received
from tocsin.hosts.spark.reading.columns import ColumnReading, event_of_object
from tocsin.hosts.spark.reading.kafka import (
    HEADERS,
    events_of_record,
    shown_record,
)
from tocsin.hosts.spark.reading.layout import (
    CAME,
    LINE,
    ORIGIN,
    VALUE,
    EventColumns,
    JsonRows,
    Layout,
)
from tocsin.hosts.spark.reading.table import EventTable, shown_object
from tocsin.hosts.spark.results.headers import INSTANT, Heads, heads_of_events
from tocsin.hosts.spark.results.kept import KEPT, carrying
from tocsin.hosts.spark.results.letters import Letter, letter_of_fault


class Reading(Protocol):
    """The events of one Arrow batch, numbered from 0, and the dead letters of the rows that are
    none.
    """

    @property
    def letters(self) -> Sequence[Letter]:
        """One for every row that is no event."""
        ...

    @property
    def batch(self) -> EventBatch:
        """The events, for the engine."""
        ...

    def heads(self, at: Any, *, places: bool = True) -> Heads:
        """What matches tell of the events with these numbers; all places null where they are not
        asked for.
        """
        ...

    def contents(self) -> list[str]:
        """Each event as text, which settles who counts among events of one identity and one
        time.
        """
        ...


@dataclass(frozen=True, slots=True)
class RowReading:
    """Events read one by one."""

    events: Sequence[Event]
    letters: Sequence[Letter]

    @property
    def batch(self) -> Batch:
        """The events, for the engine."""
        return Batch(self.events)

    def heads(self, at: Any, *, places: bool = True) -> Heads:
        """What matches tell of the events with these numbers."""
        different, back = np.unique(at, return_inverse=True)
        return heads_of_events(
            [self.events[number] for number in different.tolist()], places=places
        ).take(back)

    def contents(self) -> list[str]:
        """Each event as text."""
        return [content(event) for event in self.events]


def read(rows: Any, layout: Layout) -> Reading:
    """One Arrow batch of rows in the given layout, read."""
    match layout:
        case JsonRows(ends):
            return _sorted_out(_json_events(rows, ends))
        case EventColumns(names, by_row, ends):
            table = EventTable(rows, names)
            return _sorted_out(_table_events(table, ends)) if by_row else ColumnReading(table, ends)


def _sorted_out(found: Iterator[Event | Letter]) -> RowReading:
    events: list[Event] = []
    letters: list[Letter] = []
    for each in found:
        if isinstance(each, Event):
            events.append(each)
        else:
            letters.append(each)
    return RowReading(events, letters)


def _json_events(rows: Any, ends: Ends) -> Iterator[Event | Letter]:
    lines, origins, came, kept, headers = (
        _column(rows, name) for name in (LINE, ORIGIN, CAME, KEPT, HEADERS)
    )
    times = None if came is None else came.cast(INSTANT).cast(pa.int64())
    for number, raw in enumerate(rows.column(VALUE).to_pylist()):
        record = None if headers is None else headers[number].as_py()
        try:
            events = events_in_body(raw) if headers is None else events_of_record(raw, record)
            if kept is not None:
                events = [carrying(event, kept[number].as_py()) for event in events]
            if ends is Ends.RECEPTION:
                now = None if times is None else times[number].as_py()
                events = [received(event, now) for event in events]
            yield from events
        except Exception as error:
            line = lines[number].as_py() if lines is not None else None
            origin = origins[number].as_py() if origins is not None else None
            yield letter_of_fault(error, shown_record(raw, record), line, origin)


def _column(rows: Any, name: str) -> Any:
    return rows.column(name) if name in rows.schema.names else None


def _table_events(table: EventTable, ends: Ends) -> Iterator[Event | Letter]:
    for number, found in enumerate(table.objects()):
        try:
            yield event_of_object(found, ends)
        except Exception as error:
            yield letter_of_fault(error, shown_object(found), origin=table.text(ORIGIN, number))
