"""CloudEvents as messages of a broker, in structured mode (all in the body) or binary mode.

In binary mode the attributes are headers beside the data. The bindings of CloudEvents 1.0 for Kafka
and for MQTT 5 differ in the name of an attribute only: `ce_id` is a header of Kafka, `id` a user
property of MQTT. An event written in either mode is read as the same event; in binary mode numbers
and booleans among the extensions become text, since such attributes have no types.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import (
    as_object,
    encode,
    from_mapping,
    json_text,
    parse_json,
)
from tocsin.events.codecs.decode import decode_all, unwrap_epcis
from tocsin.events.event import Event
from tocsin.values.media_types import JSON, is_json, is_text, is_xml, media_type

STRUCTURED = "application/cloudevents+json"
CONTENT_TYPE = "content-type"
KAFKA_PREFIX = "ce_"

_ANY_STRUCTURED = "application/cloudevents"

Headers = Iterable[tuple[str, bytes | None]]


@dataclass(frozen=True, slots=True)
class Message:
    """The body of a message, its attributes without prefix, and its content type.

    A message in structured mode has no attributes.
    """

    body: bytes | None
    attributes: Mapping[str, str]
    content_type: str | None

    def kafka_headers(self) -> list[tuple[str, bytes]]:
        """Return the attributes and the content type as headers of a Kafka record."""
        named = {KAFKA_PREFIX + name: value for name, value in self.attributes.items()}
        if self.content_type is not None:
            named[CONTENT_TYPE] = self.content_type
        return [(name, value.encode()) for name, value in named.items()]


def message_of_record(value: bytes | None, headers: Headers) -> Message:
    """Return the message of a Kafka record; of a repeated header the last value counts, as in
    Kafka.
    """
    named = {name.lower(): given for name, given in headers}
    kind = _text(CONTENT_TYPE, named.get(CONTENT_TYPE))
    attributes = {
        name.removeprefix(KAFKA_PREFIX): _text(name, given)
        for name, given in named.items()
        if name.startswith(KAFKA_PREFIX)
    }
    return Message(
        value, {name: text for name, text in attributes.items() if text is not None}, kind
    )


def events_of_message(message: Message) -> list[Event]:
    """Return the events of a message in either mode.

    A message without attributes is read as structured. Raises if it is not an event.
    """
    if is_structured_mode(message):
        return events_in_body(message.body)
    body = dict(message.attributes)
    return unwrap_epcis(from_mapping(body | _data(message) | _place(body.get("place"))))


def is_structured_mode(message: Message) -> bool:
    """True if the whole event is in the body."""
    kind = (message.content_type or "").lower()
    return not message.attributes or kind.startswith(_ANY_STRUCTURED)


def events_in_body(body: bytes | None) -> list[Event]:
    """Return the events of a body in structured mode; raises if it is None or not an event."""
    if body is None:
        raise EventProblem("the value is null")
    return decode_all(body)


def structured_message(event: Event) -> Message:
    """Return the event as one JSON body."""
    return Message(encode(event).encode(), {}, STRUCTURED)


def binary_message(event: Event) -> Message:
    """Return the event with its attributes beside its data.

    Structured if its data cannot be written in its media type.
    """
    kind = media_type(event.envelope)
    if not is_json(kind) and not isinstance(event.data, str | None):
        return structured_message(event)
    given = {name: value for name, value in as_object(event).items() if name != "data"}
    said = given.pop("datacontenttype", None)
    attributes = {name: _attribute(value) for name, value in given.items()}
    return Message(
        _body(event.data, kind),
        {"specversion": "1.0"} | attributes,
        _content_type_of(event.data, said),
    )


def _content_type_of(data: object, said: object) -> str | None:
    return str(said) if said is not None else None if data is None else JSON


def _body(data: object, kind: str) -> bytes | None:
    if data is None:
        return None
    if is_json(kind):
        return json_text(data).encode()
    text = str(data)
    return text.encode() if is_xml(kind) or is_text(kind) else _unpacked(text)


def _unpacked(text: str) -> bytes:
    """Decode data that is not text from its base64; if it is not base64, return it as text."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text.encode()


def _attribute(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


def _data(message: Message) -> dict[str, str]:
    """Return the members with the data, for the codec to decode by its content type."""
    kind, raw = message.content_type, message.body
    body = {} if kind is None else {"datacontenttype": kind}
    return body if raw is None else body | {"data_base64": base64.b64encode(raw).decode()}


def _place(text: str | None) -> dict[str, Any]:
    """Parse a place that is a GeoJSON object; in an attribute it is text."""
    return {"place": parse_json(text)} if text is not None and text.lstrip().startswith("{") else {}


def _text(name: str, value: bytes | None) -> str | None:
    try:
        return None if value is None else bytes(value).decode("utf-8")
    except UnicodeDecodeError as error:
        raise EventProblem(f"the header {name} is not UTF-8: {error.reason}", token=name) from None
