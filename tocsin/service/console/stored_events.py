"""Stored events as JSON for viewers: the event, its receive time, interval and place, and whether
it was late. A row with several events gives several objects with one position.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event
from tocsin.service.storage.rows import LogRow
from tocsin.values.space import geojson_text
from tocsin.values.time import Instant, format_instant

_NOTHING = "null"


def events_in(row: LogRow) -> tuple[Event, ...]:
    """Return the events of a row; empty if it can no longer be decoded."""
    if row.events is not None:
        return row.events
    try:
        return tuple(decode_all(row.body))
    except Problem:
        return ()


def event_texts(rows: Iterable[LogRow], late: Collection[int]) -> Iterator[str]:
    """Yield a JSON object for each event."""
    for row in rows:
        head = f'{{"position":{row.position},"received":{_time(row.received)}'
        tail = f'"late":{"true" if row.position in late else "false"}}}'
        for event in events_in(row):
            yield f'{head},"event":{encode(event)},{bounds_text(event)},{tail}'


def bounds_text(event: Event) -> str:
    """Return the interval and the place of an event as members of a JSON object."""
    interval, place = event.interval, event.place
    start = _NOTHING if interval is None else _time(interval.start)
    end = _NOTHING if interval is None else _time(interval.end)
    where = _NOTHING if place is None else geojson_text(place)
    return f'"start":{start},"end":{end},"place":{where}'


def _time(instant: Instant) -> str:
    return json.dumps(format_instant(instant))
