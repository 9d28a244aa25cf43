"""EPCIS documents, JSON or XML: with many events, with the results of a query, or one bare event.

A document is decoded as a whole: one invalid event makes the document invalid, as it would at an
EPCIS repository, and the reason says which event and which field. Contexts and schemas are never
fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from tocsin.errors import EventProblem, LimitProblem
from tocsin.events.codecs.base.cloudevents import parse_json
from tocsin.events.codecs.base.xml_text import xml_text
from tocsin.events.codecs.epcis.event import SOURCE, event_of_attributes
from tocsin.events.codecs.epcis.event_schema import KINDS, normal_event
from tocsin.events.codecs.epcis.field_readers import CODE, format_value, wrong
from tocsin.events.codecs.epcis.from_xml import (
    QUERIES,
    fields,
    local,
    parameters_of,
    raw_event,
    split,
)
from tocsin.events.codecs.epcis.json_context import KNOWN, names_in_xml, names_of
from tocsin.events.codecs.epcis.master_data import (
    MasterData,
    master_data_in_json,
    master_data_in_xml,
    with_master_data,
)
from tocsin.events.event import Event
from tocsin.events.views.document import Element, parse_xml

TOO_MANY = "RequestTooLarge"
"""The code of a request with too many events."""

DOCUMENTS = ("EPCISDocument", "EPCISQueryDocument")

_BYTE_ORDER_MARK = "\ufeff"
_TYPES = frozenset((*DOCUMENTS, *KINDS))

Reading = Callable[[], dict[str, Any]]
"""Returns one event of a document in normal form when called, or raises."""


def decode_document(raw: bytes | str, source: str = SOURCE, most: int | None = None) -> list[Event]:
    """Return the events of an EPCIS document, in its order.

    Raises if the text is not one, with the name of the field, or if it has more than `most` events.
    """
    return [event_of_attributes(read(), source) for read in _bounded(_readings(raw), most)]


def decode_each(
    raw: bytes | str, source: str = SOURCE, most: int | None = None
) -> list[Event | EventProblem]:
    """Return the events of a document, with the problem in place of an invalid one.

    A problem of the document as a whole is raised.
    """
    return [_event_or_problem(read, source) for read in _bounded(_readings(raw), most)]


def normal_events(data: object, most: int | None = None) -> list[dict[str, Any]] | None:
    """Return the normal form of the events of a JSON value or an XML text; None if it is not EPCIS.

    Raises if there are more than `most`.
    """
    if isinstance(data, dict):
        return _read_all(_of_json_value(data), most) if is_epcis_json(data) else None
    if isinstance(data, str) and any(name in data for name in _TYPES):
        root = parse_xml(data)
        return _read_all(_of_root(root), most) if is_epcis_xml(root) else None
    return None


def too_many_events(most: int) -> LimitProblem:
    """Return the problem of a request with more events than allowed."""
    return LimitProblem(
        f"the request has more than {most:,} events, which is the limit",
        code=TOO_MANY,
        hint="send less at a time",
    )


def is_epcis_json(value: Mapping[str, Any]) -> bool:
    """True if an object is a document or an event: by type and the field that only EPCIS has."""
    kind = value.get("type")
    return isinstance(kind, str) and kind in _TYPES and (kind in DOCUMENTS or "eventTime" in value)


def is_epcis_xml(root: Element) -> bool:
    """True if an element is a document or a bare event."""
    return local(root) in _TYPES


def looks_like_xml(raw: bytes | str) -> bool:
    """True if a text begins as XML, in any encoding, after any byte order mark."""
    if raw[:1] in (b"{", "{"):
        return False
    start = raw[:200].encode("utf-8", "replace") if isinstance(raw, str) else raw[:200]
    return start.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n").startswith(b"<")


def _read_all(readings: Iterator[Reading], most: int | None) -> list[dict[str, Any]]:
    return [read() for read in _bounded(readings, most)]


def _bounded(readings: Iterator[Reading], most: int | None) -> Iterator[Reading]:
    """Yield readings; raise at the first that is over the limit, before it is read."""
    for number, read in enumerate(readings):
        if most is not None and number >= most:
            raise too_many_events(most)
        yield read


def _event_or_problem(read: Reading, source: str) -> Event | EventProblem:
    try:
        return event_of_attributes(read(), source)
    except EventProblem as problem:
        return problem


def _readings(raw: bytes | str) -> Iterator[Reading]:
    return _of_xml(raw) if looks_like_xml(raw) else _of_json(raw)


def _of_json(raw: bytes | str) -> Iterator[Reading]:
    value = parse_json(raw)
    if not isinstance(value, dict):
        raise EventProblem(
            f"an EPCIS document is a JSON object, got {format_value(value)}", code=CODE
        )
    return _of_json_value(value)


def _of_json_value(value: dict[str, Any]) -> Iterator[Reading]:
    if value.get("type") not in DOCUMENTS and "epcisBody" not in value:
        yield partial(normal_event, value, "", KNOWN)
        return
    if "@context" not in value:
        raise wrong(
            "@context",
            "@context is missing",
            "the standard one is https://ref.gs1.org/standards/epcis/epcis-context.jsonld",
        )
    names = names_of(value["@context"])
    place, events = _event_list(value)
    known = master_data_in_json(value, names)
    for number, event in enumerate(events):
        read = partial(normal_event, event, f"{place}[{number}]", names)
        yield partial(_read_with, known, read)


def _read_with(known: MasterData, read: Reading) -> dict[str, Any]:
    return with_master_data(read(), known)


def _event_list(value: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the list of events and its position; results of a query are nested deeper."""
    body = _inner(value, "epcisBody", "epcisBody")
    place = "epcisBody"
    if "queryResults" in body:
        body = _inner(
            _inner(body, "queryResults", "epcisBody.queryResults"),
            "resultsBody",
            "epcisBody.queryResults.resultsBody",
        )
        place = "epcisBody.queryResults.resultsBody"
    if "event" in body and "eventList" not in body:
        return f"{place}.event", [body["event"]]
    events = body.get("eventList")
    if not isinstance(events, list):
        raise wrong(
            f"{place}.eventList",
            "eventList is missing" if events is None else "eventList must be a list",
        )
    return f"{place}.eventList", events


def _inner(value: dict[str, Any], name: str, at: str) -> dict[str, Any]:
    found = value.get(name)
    if not isinstance(found, dict):
        raise wrong(at, f"{name} is missing" if found is None else f"{name} must be an object")
    return found


def _of_xml(raw: bytes | str) -> Iterator[Reading]:
    text = xml_text(raw) if isinstance(raw, bytes) else raw
    return _of_root(parse_xml(text.removeprefix(_BYTE_ORDER_MARK)))


def _of_root(root: Element) -> Iterator[Reading]:
    strict = not _is_first_version(root)
    if not is_epcis_xml(root):
        raise _no_epcis(local(root))
    if local(root) not in DOCUMENTS:
        yield partial(_read_element, root, "", strict)
        return
    known = master_data_in_xml(root)
    for number, element in enumerate(_event_elements(root)):
        read = partial(_read_element, element, f"EventList[{number}]", strict)
        yield partial(_read_with, known, read)


def _read_element(element: Element, place: str, strict: bool) -> dict[str, Any]:
    names = names_in_xml(element.nsmap)
    return normal_event(raw_event(element, place, strict), place, names)


def _no_epcis(name: str) -> EventProblem:
    return EventProblem(
        f"<{name}> is neither an EPCIS document nor an EPCIS event, and without an envelope it has"
        " no id and no source",
        code=CODE,
        token=name,
        hint=(
            "send it as the data of a CloudEvent with datacontenttype application/xml, or match it"
            " as a file"
        ),
    )


def _event_elements(root: Element) -> list[Element]:
    lists = [element for element in root.iter() if local(element) == "EventList"]
    if lists:
        return [element for each in lists for _, element in fields(each)]
    for query in (element for element in root.iter() if local(element) in QUERIES):
        parameters_of(query)
        raise EventProblem(
            f"{local(query)}: the document asks a query and holds no events",
            code=CODE,
            token=local(query),
            hint="subscribe with it, in the language epcis",
        )
    raise wrong("EPCISBody.EventList", "EventList is missing")


def _is_first_version(root: Element) -> bool:
    """True for EPCIS 1.x: by namespace or version; for bare events by the wrappers of 1.x."""
    if split(root.tag)[0].endswith("xsd:1") or (root.get("schemaVersion") or "").startswith("1"):
        return True
    return any(local(child) == "baseExtension" for child in root)
