"""Event columns for the engine, without an object per row; suspicious rows go to the codec.

Only suspicious rows are decoded one by one, so a row of columns is refused for the same reasons as
its JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.columns.batch import ArrowBatch
from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.codecs.reception import EventEndRule, stamp_reception
from tocsin.events.event import ENVELOPE, INSTANT, Event, Path
from tocsin.events.order import content
from tocsin.spark.input.layout import ORIGIN
from tocsin.spark.input.row_validation import (
    ENDTIME,
    PLACE,
    RECEIVED_AT,
    TIME,
    Flags,
    instants,
    rows_to_validate,
)
from tocsin.spark.input.table import EventTable, comparable, shown_object
from tocsin.spark.output.carried_columns import KEPT
from tocsin.spark.output.headers import Heads
from tocsin.spark.output.letters import Letter, letter_of_fault


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
        chosen = EventTable(self._table.rows.take(pa.array(different)), self._table.names)
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
