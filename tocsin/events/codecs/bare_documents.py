"""Documents and records without an envelope: the fields of the event are derived from the origin.

The source is the name of the file, the id that name and a number (`invoice.xml#1`), the type the
name of the outermost element, or `document` or `record`; there is no time unless one is given.
Mapped columns take precedence over all that. EPCIS and CloudEvents are recognised and keep their
own fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import (
    MAX_BYTES,
    event_of,
    from_mapping,
    parse_json,
    too_large,
)
from tocsin.events.codecs.base.xml_text import xml_text
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.decode import events_from_json
from tocsin.events.codecs.epcis.document import (
    decode_document,
    is_epcis_json,
    is_epcis_xml,
    too_many_events,
)
from tocsin.events.codecs.epcis.from_xml import local, split
from tocsin.events.event import Event
from tocsin.events.views.document import parse_xml
from tocsin.values.media_types import JSON_LD, RDF_XML
from tocsin.values.time import Instant, format_instant

_BYTE_ORDER_MARK = "\ufeff"
_RDF_ROOT = ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "RDF")
_KEYWORDS = ("@context", "@graph", "@id", "@type")


@dataclass(frozen=True, slots=True)
class DocumentOrigin:
    """The origin of documents and records: a name, a time, and columns."""

    name: str
    time: Instant | None = None
    columns: Columns = field(default_factory=Columns)

    def envelope(self, number: int, kind: str, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the context attributes of the event with this number, by the origin or its
        columns.
        """
        told = {} if self.time is None else {"time": format_instant(self.time)}
        return {"id": f"{self.name}#{number}", "source": self.name, "type": kind, **told, **found}


def events_of_xml(
    raw: bytes, origin: DocumentOrigin, number: int = 1, most: int | None = None
) -> list[Event]:
    """Return the events of an EPCIS document, or one event for any other XML document.

    Raises if there are more than `most`.
    """
    text = _within_limits(raw, xml_text)
    root = parse_xml(text)
    if is_epcis_xml(root):
        return decode_document(text, most=most)
    media_type = RDF_XML if split(root.tag) == _RDF_ROOT else "application/xml"
    return [_document(text, media_type, local(root), origin, number)]


def event_of_rdf(raw: bytes, media_type: str, origin: DocumentOrigin) -> Event:
    """Return the event of an RDF document."""
    text = _within_limits(raw, xml_text if media_type == RDF_XML else _utf8)
    return _document(text, media_type, "document", origin, 1)


def events_of_json_ld(
    raw: bytes, origin: DocumentOrigin, number: int = 1, most: int | None = None
) -> list[Event]:
    """Return the events of an EPCIS document or of CloudEvents, or one event for other JSON-LD.

    Raises if there are more than `most`.
    """
    value = parse_json(raw)
    items = value if isinstance(value, list) else [value]
    if items and all(
        isinstance(item, dict) and (is_epcis_json(item) or _is_enveloped(item)) for item in items
    ):
        found: list[Event] = []
        for item in items:
            if most is not None and len(found) >= most:
                raise too_many_events(most)
            found += events_from_json(item, most)
        return found
    return [_document(value, JSON_LD, "document", origin, number)]


def is_json_ld(value: object) -> bool:
    """True if an object is JSON-LD by its keywords, and neither EPCIS nor a CloudEvent."""
    if not isinstance(value, dict) or is_epcis_json(value) or _is_enveloped(value):
        return False
    return any(keyword in value for keyword in _KEYWORDS)


def event_of_record(
    record: Mapping[str, Any], typed: Mapping[str, Any], origin: DocumentOrigin, number: int
) -> Event:
    """Return the event of a row: fields from the values as text, data from the typed values."""
    found = origin.columns.envelope(record)
    return from_mapping({**origin.envelope(number, "record", found), "data": dict(typed)})


def events_of_mapped_json(raw: bytes, origin: DocumentOrigin, number: int) -> list[Event]:
    """Return the event of a JSON object without an envelope, with its fields from the columns."""
    value = parse_json(raw)
    if not isinstance(value, dict):
        raise EventProblem(
            "a record is a JSON object",
            hint="each line, or each element of an array, is one record",
        )
    return [event_of_record(value, value, origin, number)]


def _document(
    data: object, media_type: str, kind: str, origin: DocumentOrigin, number: int
) -> Event:
    envelope = {**origin.envelope(number, kind, {}), "datacontenttype": media_type}
    event = event_of({**envelope, "data": data})
    found = origin.columns.envelope(event.attributes)
    return event_of({**envelope, **found, "data": data}) if found else event


def _is_enveloped(value: Mapping[str, Any]) -> bool:
    return "source" in value and "id" in value and "type" in value


def _within_limits(raw: bytes, decode: Any) -> str:
    if len(raw) > MAX_BYTES:
        raise too_large()
    return str(decode(raw)).removeprefix(_BYTE_ORDER_MARK)


def _utf8(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EventProblem(f"invalid UTF-8: {error.reason} at byte {error.start}") from None
