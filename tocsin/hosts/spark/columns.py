"""Event columns for the engine, without an object per row. What looks wrong is judged by the codec.

Only suspect rows are read one by one, so a row of columns is refused for the reasons for which its JSON would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tocsin.engine.batch import ArrowBatch
from tocsin.errors import EventProblem, Problem
from tocsin.events.codecs.cloudevents import from_mapping
from tocsin.events.event import ENVELOPE, INSTANT, Event, Path
from tocsin.events.order import content
from tocsin.hosts.spark.heads import Heads
from tocsin.hosts.spark.rows import Letter, letter_of_row
from tocsin.hosts.spark.suspects import ENDTIME, PLACE, TIME, Flags, instants, suspects
from tocsin.hosts.spark.table import EventTable, comparable, shown_object


class ColumnReading:
    """The rows that are events, and the dead letters of the others."""

    def __init__(self, table: EventTable) -> None:
        good, self.letters = _judged(table)
        self._table = table if good.all() else table.filtered(good)
        self.batch = ArrowBatch(*_for_comparing(self._table), self._event)

    def heads(self, at: Any, *, places: bool = True) -> Heads:
        """What matches tell of the events with these numbers."""
        different, back = np.unique(at, return_inverse=True)
        chosen = EventTable(self._table.rows.take(pa.array(different)), self._table.names)
        starts = instants(chosen, TIME)
        ends = pc.coalesce(instants(chosen, ENDTIME), starts)
        ids, sources = (chosen.column((ENVELOPE, name)).cast(pa.string()) for name in ("id", "source"))
        texts = _place_texts(chosen) if places else pa.nulls(len(different), pa.string())
        return Heads(ids, sources, starts, ends, texts).take(back)

    def contents(self) -> list[str]:
        """Each event as text."""
        return [content(event_of_object(found)) for found in self._table.objects()]

    def _event(self, number: int) -> Event:
        return event_at(self._table, number)


def event_at(table: EventTable, number: int) -> Event:
    """One row as an event; raises its problem."""
    return event_of_object(table.object_or_problem(number))


def event_of_object(found: dict[str, Any] | EventProblem) -> Event:
    """The event of a row that was read; raises the problem of one that could not be."""
    if isinstance(found, EventProblem):
        raise found
    return from_mapping(found)


def _judged(table: EventTable) -> tuple[Flags, Sequence[Letter]]:
    """Which rows are events, and a dead letter for each that is not."""
    good = np.ones(table.rows.num_rows, dtype=np.bool_)
    letters = []
    for number in np.flatnonzero(suspects(table)).tolist():
        found = table.object_or_problem(number)
        try:
            event_of_object(found)
        except Problem as problem:
            good[number] = False
            letters.append(letter_of_row(problem, shown_object(found)))
    return good, letters


def _for_comparing(table: EventTable) -> tuple[Any, Mapping[Path, str]]:
    """The columns as the engine compares them; an event without an endtime ends when it starts."""
    columns = {path: comparable(table.column(path)) for path in table.names if path != PLACE}
    if TIME in columns:
        columns |= _instant_columns(table)
        columns[ENDTIME] = pc.coalesce(columns.get(ENDTIME, columns[TIME]), columns[TIME])
    names = {path: f"c{number}" for number, path in enumerate(columns)}
    return pa.RecordBatch.from_arrays(list(columns.values()), list(names.values())), names


def _instant_columns(table: EventTable) -> dict[Path, Any]:
    """Times that are columns of timestamps, as numbers; those that are texts are read when somebody asks for them."""
    given = [column.type for path in (TIME, ENDTIME) if (column := table.column(path)) is not None]
    if not all(map(pa.types.is_timestamp, given)):
        return {}
    starts = instants(table, TIME)
    ends = pc.coalesce(instants(table, ENDTIME), starts)
    return {(*TIME, INSTANT): starts, (*ENDTIME, INSTANT): ends}


def _place_texts(table: EventTable) -> Any:
    places = table.column(PLACE)
    if places is None:
        return pa.nulls(table.rows.num_rows, pa.string())
    given = places.is_valid().to_pylist()
    return pa.array([event_at(table, at).place_text if there else None for at, there in enumerate(given)], pa.string())
