"""The newest stored events, as a sample."""

from __future__ import annotations

from tocsin.events.event import Event
from tocsin.service.console.stored_events import events_in
from tocsin.service.storage.log_reader import Browsing, Span

LOOKED_AT = 1_000
"""Newest rows in the sample."""


def recent_events(browsing: Browsing) -> list[Event]:
    """Return the events of the newest rows, oldest first."""
    rows = browsing.read(Span(), LOOKED_AT, newest=True)
    return [event for row in rows for event in events_in(row)]
