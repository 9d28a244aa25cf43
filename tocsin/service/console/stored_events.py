"""Stored events as JSON for viewers: by page, as a sample of the newest, and live.

Each with its receive time, interval and place, and whether it was late. A row with several events
gives several objects with one position. A live viewer that is too slow gets the number of rows left
out; other listeners are not delayed.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from dataclasses import dataclass

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event
from tocsin.service.base.feed import Feed
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.log_reader import Browsing, Span
from tocsin.service.storage.rows import LogRow
from tocsin.service.storage.tallies import LateEvents
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


LOOKED_AT = 1_000
"""Newest rows in the sample."""


def recent_events(browsing: Browsing) -> list[Event]:
    """Return the events of the newest rows, oldest first."""
    rows = browsing.read(Span(), LOOKED_AT, newest=True)
    return [event for row in rows for event in events_in(row)]


GATHER = 0.2
"""Seconds for which events are gathered into one message."""

MAX_ROWS = 500
"""Rows in one message, the newest."""

QUIET = 10.0
"""Seconds without an event after which the listener gets a sign of life."""


@dataclass(frozen=True, slots=True)
class EventChunk:
    """Events gathered for one message: position of the last row, texts, and number of rows left
    out. Only a position is a sign of life.
    """

    position: int
    texts: list[str]
    skipped: int = 0


async def follow_events(
    log: EventLog, late: LateEvents, feed: Feed, after: int
) -> AsyncIterator[EventChunk]:
    """Yield events after a position, until the service stops."""
    position, told = after, time.monotonic()
    while not feed.is_closed:
        await asyncio.sleep(GATHER)
        if log.head > position:
            found = await asyncio.to_thread(_gather, log, late, position)
            position, told = found.position, time.monotonic()
            if found.texts or found.skipped:
                yield found
        elif time.monotonic() - told > QUIET:
            told = time.monotonic()
            yield EventChunk(position, [])


def _gather(log: EventLog, late: LateEvents, after: int) -> EventChunk:
    first = max(after, log.head - MAX_ROWS)
    rows = log.read(first, MAX_ROWS)
    position = rows[-1].position if rows else first
    accepted = [row for row in rows if row.code is None]
    return EventChunk(position, list(event_texts(accepted, late.refreshed())), first - after)
