"""Decoding of one text, with EPCIS inside other formats: in the data of a CloudEvent, or bare.

An envelope around one event gives it its id, source and type; around several, each gets the id of
the envelope and its number (`id#1`, `id#2`, ...). The time is always the eventTime, as the time of
an envelope is that of sending the document; only an envelope with an `endtime` sets the bounds of
its one event. An item of a file is a line to decode, or what a reader has decoded from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import (
    encode,
    event_of,
    from_mapping,
    parse_json,
    plain_object,
)
from tocsin.events.codecs.epcis.document import (
    decode_document,
    is_epcis_json,
    looks_like_xml,
    normal_events,
)
from tocsin.events.codecs.epcis.event import event_of_attributes, from_envelope
from tocsin.events.event import Event
from tocsin.values.media_types import is_json, is_xml, media_type


def decode_all(raw: bytes | str, most: int | None = None) -> list[Event]:
    """Return the events of a text: a CloudEvent, the EPCIS events inside one, or an EPCIS document
    or event.

    Raises if there are more than `most`.
    """
    if looks_like_xml(raw):
        return decode_document(raw, most=most)
    return events_from_json(parse_json(raw), most)


def events_from_json(value: object, most: int | None = None) -> list[Event]:
    """Return the events of a parsed JSON value; raises if there are more than `most`."""
    if isinstance(value, dict) and "source" not in value and is_epcis_json(value):
        return [event_of_attributes(each) for each in normal_events(value, most) or ()]
    return unwrap_epcis(event_of(value), most)


def events_of_mapping(value: Mapping[str, Any]) -> list[Event]:
    """Return the events of an object in memory, checked as strictly as text."""
    if "source" not in value and is_epcis_json(value):
        return events_from_json(plain_object(value))
    return unwrap_epcis(from_mapping(value))


def unwrap_epcis(event: Event, most: int | None = None) -> list[Event]:
    """Return the EPCIS events in the data of an event, or the event itself if there is no EPCIS."""
    # fast path: EPCIS data always has a type
    if type(event.data) is dict and "type" not in event.data:
        return [event]
    found = _inside(event, most)
    if found is None:
        return [event]
    if len(found) == 1:
        return [_with_bounds(from_envelope(found[0], event.envelope), event)]
    return [
        from_envelope(attributes, {**event.envelope, "id": f"{event.id}#{number}"})
        for number, attributes in enumerate(found, 1)
    ]


def as_line(event: Event) -> bytes:
    """Return an event as one line of CloudEvents JSON, which decodes to the same event."""
    return encode(event).encode() + b"\n"


def _inside(event: Event, most: int | None) -> list[dict[str, Any]] | None:
    if isinstance(event.data, dict):
        claims = is_epcis_json(event.data) and is_json(media_type(event.envelope))
        return normal_events(event.data, most) if claims else None
    if isinstance(event.data, str) and is_xml(media_type(event.envelope)):
        return normal_events(event.data, most)
    return None


def _with_bounds(event: Event, outer: Event) -> Event:
    """Apply the bounds and the place of the envelope, if it has them."""
    stated = outer.interval is not None and outer.interval.start != outer.interval.end
    times = ("time", "endtime") if stated else ()
    envelope = {**event.envelope, **{name: outer.envelope[name] for name in times}}
    place = outer.place_source if outer.place_source is not None else event.place_source
    return Event(envelope, event.data, outer.interval if stated else event.interval, place)


DecodedItem: TypeAlias = tuple[Event, ...] | Problem | None
"""The events or the problem that a reader has decoded from a text; None if still to be decoded."""


class FileItem(NamedTuple):
    """The text, its first line number, its file if there are several, and the decoded result."""

    raw: bytes
    line: int
    file: str | None = None
    found: DecodedItem = None

    def events(self) -> list[Event]:
        """Return the events of the item; raises if it is not an event."""
        return events_in(self.raw, self.found)


def events_in(raw: bytes, made: DecodedItem = None) -> list[Event]:
    """Return the events of a text, decoded already or now; raises if it is not an event."""
    if made is None:
        return decode_all(raw)
    if isinstance(made, Problem):
        raise made
    return list(made)
