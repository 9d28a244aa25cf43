"""Decoding of Arrow batches: events for the engine, and a dead letter for every other row.

Event columns are read without an object per row. Only suspicious rows go to the codec, one by one,
so a row of columns is refused for the same reasons as its JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.columns.batch import ArrowBatch, Batch, EventBatch
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.codecs.bindings import events_in_body
from tocsin.events.codecs.reception import EventEndRule, stamp_reception
from tocsin.events.event import Event, content
from tocsin.spark.input.layout import (
    CAME,
    HEADERS,
    LINE,
    ORIGIN,
    VALUE,
    EventColumns,
    JsonRows,
    Layout,
    events_of_record,
    shown_record,
)
from tocsin.spark.input.table import (
    ENDTIME,
    PLACE,
    RECEIVED_AT,
    TIME,
    EventTable,
    Flags,
    comparable,
    instants,
    rows_to_validate,
    shown_object,
)
from tocsin.spark.output.carried_columns import (
    INSTANT_TYPE,
    KEPT,
    Heads,
    attach_columns,
    heads_of_events,
)
from tocsin.spark.output.letters import Letter, letter_of_fault
from tocsin.values.scalars import ENVELOPE, INSTANT, Path


class ColumnReading:
    """The rows that are events, and the dead letters of the others."""

    def __init__(self, table: EventTable, ends: EventEndRule = EventEndRule.START) -> None:
        self._ends_by = ends
        good, self.letters = _judged(table, ends)
        self._table = table if good.all() else table.filtered(good)
        self.batch = ArrowBatch(*_for_comparing(self._table, ends), self._event)

    def heads(self, at: Any, *, places: bool = True) -> Heads:
        """Return the match fields of the events with the given numbers."""
        different, back = np.unique(at, return_inverse=True)
        chosen = self._table.with_rows(self._table.rows.take(pa.array(different)))
        starts = instants(chosen, TIME)
        ends = _ends(chosen, self._ends_by, starts)
        ids, sources = (
            chosen.column((ENVELOPE, name)).cast(pa.string()) for name in ("id", "source")
        )
        texts = _place_texts(chosen) if places else pa.nulls(len(different), pa.string())
        return Heads(ids, sources, starts, ends, texts, _kept(chosen)).take(back)

    def ends(self) -> Any:
        """Return the end of each event."""
        return _ends(self._table, self._ends_by, instants(self._table, TIME))

    def contents(self) -> list[str]:
        """Return each event as text."""
        return [content(event_of_object(found, self._ends_by)) for found in self._table.objects()]

    def _event(self, number: int) -> Event:
        return event_of_object(self._table.object_or_problem(number), self._ends_by)


def event_of_object(
    found: dict[str, Any] | EventProblem, ends: EventEndRule = EventEndRule.START
) -> Event:
    """Return the event of a decoded row; raises its problem if it was not readable."""
    if isinstance(found, EventProblem):
        raise found
    event = from_mapping(found)
    return stamp_reception(event) if ends is EventEndRule.RECEPTION else event


def _judged(table: EventTable, ends: EventEndRule) -> tuple[Flags, Sequence[Letter]]:
    """Return a flag for each row that is an event, and a dead letter for each that is not."""
    good = np.ones(table.rows.num_rows, dtype=np.bool_)
    letters = []
    for number in np.flatnonzero(rows_to_validate(table, ends)).tolist():
        found = table.object_or_problem(number)
        try:
            event_of_object(found, ends)
        except Exception as error:
            good[number] = False
            letters.append(
                letter_of_fault(error, shown_object(found), origin=table.text(ORIGIN, number))
            )
    return good, letters


def _for_comparing(table: EventTable, ends: EventEndRule) -> tuple[Any, Mapping[Path, str]]:
    """Return the columns as the engine compares them, with an end for every event that has a time.

    An event without an endtime ends when it starts, or when it was received.
    """
    columns = {path: comparable(table.column(path)) for path in table.names if path != PLACE}
    if TIME in columns:
        columns |= _instant_columns(table, ends)
        own = columns[TIME]
        if ends is EventEndRule.RECEPTION and RECEIVED_AT in columns:
            counts = pc.greater_equal(instants(table, RECEIVED_AT), instants(table, TIME))
            own = pc.if_else(pc.fill_null(counts, False), columns[RECEIVED_AT], own)
        columns[ENDTIME] = pc.coalesce(columns.get(ENDTIME, own), own)
    names = {path: f"c{number}" for number, path in enumerate(columns)}
    return pa.RecordBatch.from_arrays(list(columns.values()), list(names.values())), names


def _ends(table: EventTable, ends: EventEndRule, starts: Any) -> Any:
    return pc.coalesce(instants(table, ENDTIME), _own_ends(table, ends, starts))


def _own_ends(table: EventTable, ends: EventEndRule, starts: Any) -> Any:
    """Return the ends of events without an endtime: their start or, if later, their reception."""
    if ends is EventEndRule.START:
        return starts
    came = instants(table, RECEIVED_AT)
    return pc.if_else(pc.fill_null(pc.greater_equal(came, starts), False), came, starts)


def _instant_columns(table: EventTable, ends: EventEndRule) -> dict[Path, Any]:
    """Return times as numbers if all are timestamp columns; texts are parsed on demand."""
    paths = (TIME, ENDTIME) if ends is EventEndRule.START else (TIME, ENDTIME, RECEIVED_AT)
    given = [column.type for path in paths if (column := table.column(path)) is not None]
    if not all(map(pa.types.is_timestamp, given)):
        return {}
    starts = instants(table, TIME)
    finishes = _ends(table, ends, starts)
    return {(*TIME, INSTANT): starts, (*ENDTIME, INSTANT): finishes}


def _place_texts(table: EventTable) -> Any:
    places = table.column(PLACE)
    if places is None:
        return pa.nulls(table.rows.num_rows, pa.string())
    given = places.is_valid().to_pylist()
    return pa.array(
        [_event_at(table, at).place_text if there else None for at, there in enumerate(given)],
        pa.string(),
    )


def _kept(table: EventTable) -> Any:
    column = table.column((ENVELOPE, KEPT))
    return (
        pa.nulls(table.rows.num_rows, pa.string()) if column is None else column.cast(pa.string())
    )


def _event_at(table: EventTable, number: int) -> Event:
    return event_of_object(table.object_or_problem(number))


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
        case EventColumns(names, by_row, ends, further, json):
            table = EventTable(rows, names, further, json)
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
    times = None if came is None else came.cast(INSTANT_TYPE).cast(pa.int64())
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
