"""Live stored events for a viewer, in batches. A viewer that is too slow gets the number of rows
left out; other listeners are not delayed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from tocsin.service.base.feed import Feed
from tocsin.service.console.late import LateEvents
from tocsin.service.console.stored_events import event_texts
from tocsin.service.storage.log import EventLog

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
