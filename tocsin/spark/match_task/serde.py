"""Serialisation of plain data: numbers, texts, lists, dicts. Data that names a class is refused.

The fastest format that Python has for such data. It also reads data of other versions, since it
contains no classes.
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
"""Envelope, data, start, end, place as received, and whether the data is normalised EPCIS."""


def pack(value: object) -> bytes:
    """Return plain data as bytes."""
    return pickle.dumps(value, protocol=5)


def unpack(raw: bytes) -> Any:
    """Return the plain data of bytes; raises if they name a class or a function."""
    return _PlainUnpickler(io.BytesIO(raw)).load()


def plain_event(event: Event) -> PlainEvent:
    """Return an event as plain data."""
    start, end = (
        (None, None) if event.interval is None else (event.interval.start, event.interval.end)
    )
    if isinstance(event.data, EpcisData):
        return (dict(event.envelope), dict(event.data), start, end, event.place_source, True)
    return (dict(event.envelope), event.data, start, end, event.place_source, False)


def event_of_plain(plain: PlainEvent) -> Event:
    """Return the event of plain data, unchecked: it was checked when it was first decoded."""
    envelope, data, start, end, place, is_epcis = plain
    interval = None if start is None or end is None else Interval(start, end)
    return Event(
        envelope, EpcisData(data) if is_epcis and isinstance(data, dict) else data, interval, place
    )


class _PlainUnpickler(pickle.Unpickler):
    """Unpickler for built-in values only."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        """Raise: packed data never names a class."""
        raise StateProblem(f"packed data names {module_name}.{global_name}", code="SnapshotFormat")
