"""Builders of events and matches: a test writes what it is about, all else has a default.

`event_json` builds the object that HTTP and brokers take; `event_text` and `build_event` go on from
it to a line of JSON and to the event that a codec reads from it.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.values.time import Instant, format_instant, parse_instant

SECOND = 1_000_000
START = parse_instant("2026-01-01T00:00:00Z")
"""Second 0 of the events whose time is given in seconds."""


def event_json(
    id: str | int = "e",
    type: str = "t",
    second: float | None = None,
    *,
    source: str = "s",
    time: Instant | datetime | str | None = None,
    endtime: Instant | datetime | str | None = None,
    content_type: str | None = None,
    place: object = None,
    data: object = None,
    **attributes: object,
) -> dict[str, Any]:
    """Return a CloudEvents object without the members that are None.

    The time is given in seconds after START, in microseconds, or as it shall be written.
    """
    if second is not None:
        time = START + round(second * SECOND)
    body = {
        "id": str(id),
        "source": source,
        "type": type,
        "time": _time_text(time),
        "endtime": _time_text(endtime),
        "datacontenttype": content_type,
        **attributes,
        "place": place,
        "data": data,
    }
    return {name: value for name, value in body.items() if value is not None}


def event_text(*args: Any, **fields: Any) -> str:
    """Return the JSON text of `event_json`, on one line."""
    return json.dumps(event_json(*args, **fields))


def build_event(*args: Any, **fields: Any) -> Event:
    """Return the event that a codec reads from `event_json`, with the same checks."""
    return from_mapping(event_json(*args, **fields))


def build_unread_event(
    data: object, content_type: str | None = None, *, place: object = None, **envelope: Any
) -> Event:
    """Return an event with data that no codec has looked into, as a host may make it; without a
    time.
    """
    return Event(event_json(content_type=content_type, **envelope), data, None, place)


def build_match(
    subscription: str = "s",
    events: tuple[str, ...] = ("1",),
    start: Instant | None = None,
    end: Instant | None = None,
    detected: Instant | None = None,
    *,
    id: str = "0",
    **fields: Any,
) -> Match:
    """Return a match without a place, bindings or outputs, unless they are given."""
    return Match(
        subscription, events, start, end, detected, fields.pop("place", None), id, **fields
    )


def _time_text(time: Instant | datetime | str | None) -> datetime | str | None:
    return format_instant(time) if isinstance(time, int) else time
