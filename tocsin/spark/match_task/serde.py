"""Plain data as bytes: numbers, texts, lists, dicts, nothing else. What names a class or a function
is refused.

The fastest way that Python has for such data, and one that reads what another version wrote, since
it knows no classes.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from tocsin.errors import StateProblem
from tocsin.events.event import Event
from tocsin.events.views.epcis import EpcisData
from tocsin.values.time import Interval

PlainEvent = tuple[dict[str, Any], object, int | None, int | None, object, bool]
"""Envelope, data, start, end, place as it came, whether the data is that of EPCIS in its normal
form.
"""


def pack(value: object) -> bytes:
    """Plain data as bytes."""
    return pickle.dumps(value, protocol=5)


def unpack(raw: bytes) -> Any:
    """The plain data of bytes."""
    return _PlainUnpickler(io.BytesIO(raw)).load()


def plain_event(event: Event) -> PlainEvent:
    """An event as plain data."""
    start, end = (
        (None, None) if event.interval is None else (event.interval.start, event.interval.end)
    )
    if isinstance(event.data, EpcisData):
        return (dict(event.envelope), dict(event.data), start, end, event.place_source, True)
    return (dict(event.envelope), event.data, start, end, event.place_source, False)


def event_of_plain(plain: PlainEvent) -> Event:
    """The event that was packed; it was checked when it first came in."""
    envelope, data, start, end, place, is_epcis = plain
    interval = None if start is None or end is None else Interval(start, end)
    return Event(
        envelope, EpcisData(data) if is_epcis and isinstance(data, dict) else data, interval, place
    )


class _PlainUnpickler(pickle.Unpickler):
    """Reads built-in values only."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        """Nothing that was packed here names a class."""
        raise StateProblem(f"packed data names {module_name}.{global_name}", code="SnapshotFormat")
