"""The result of a query as XML, in the order of the EPCIS 2.0 schema.

Parsed again it gives the same events, but values of extensions become texts. Standard terms are
written as web URIs of the Core Business Vocabulary. An event of a custom type has no form in XML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as tree

from tocsin.events.codecs.epcis import vocabulary
from tocsin.events.codecs.epcis.event_schema import KINDS
from tocsin.events.codecs.epcis.json_context import split_name
from tocsin.events.codecs.epcis.quantity_event import to_object_event
from tocsin.events.codecs.epcis.vocabulary import StandardTerms
from tocsin.events.views.document import TEXT, scalar_text
from tocsin.service.epcis.documents import SCHEMA_VERSION, SERVICE_FIELDS
from tocsin.service.epcis.exceptions import NOT_ACCEPTABLE, EpcisException
from tocsin.values.time import Instant, format_instant

_QUERY = "urn:epcglobal:epcis-query:xsd:2"
_FIRST = (
    *("eventTime", "recordTime", "eventTimeZoneOffset", "eventID", "errorDeclaration"),
    *("certificationInfo", "parentID", "epcList", "childEPCs"),
    *("inputEPCList", "inputQuantityList", "outputEPCList", "outputQuantityList"),
    *("transformationID", "action", "bizStep", "disposition", "readPoint", "bizLocation"),
    *("bizTransactionList", "quantityList", "childQuantityList", "sourceList"),
    *("destinationList", "sensorElementList", "persistentDisposition", "ilmd"),
)
"""Fields of the standard in the order of the schema; extensions come after them."""

_TERMS: Mapping[str, StandardTerms] = {
    "bizStep": vocabulary.BIZ_STEP,
    "disposition": vocabulary.DISPOSITION,
    "set": vocabulary.DISPOSITION,
    "unset": vocabulary.DISPOSITION,
    "reason": vocabulary.ERROR_REASON,
}
_ITEMS: Mapping[str, str] = {
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), "epc"),
    **dict.fromkeys(
        ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"),
        "quantityElement",
    ),
    "correctiveEventIDs": "correctiveEventID",
    "sensorElementList": "sensorElement",
}
"""Lists with the element names of their items."""

_TYPED: Mapping[str, tuple[str, StandardTerms]] = {
    "bizTransactionList": ("bizTransaction", vocabulary.TRANSACTION_TYPE),
    "sourceList": ("source", vocabulary.PARTY_TYPE),
    "destinationList": ("destination", vocabulary.PARTY_TYPE),
}
_WITH_ATTRIBUTES = ("sensorMetadata", "sensorReport")
_OF_REPORTS: Mapping[str, StandardTerms] = {
    "type": vocabulary.MEASUREMENT,
    "exception": vocabulary.ALERT,
    "component": vocabulary.COMPONENT,
}


def xml_query_document(events: Sequence[Mapping[str, Any]], query: str, now: Instant) -> bytes:
    """Return the document of a query's result; raise EpcisException for a custom event type."""
    tree.register_namespace("epcisq", _QUERY)
    root = tree.Element(
        f"{{{_QUERY}}}EPCISQueryDocument",
        {"schemaVersion": SCHEMA_VERSION, "creationDate": format_instant(now)},
    )
    results = tree.SubElement(tree.SubElement(root, "EPCISBody"), f"{{{_QUERY}}}QueryResults")
    tree.SubElement(results, "queryName").text = query
    listed = tree.SubElement(tree.SubElement(results, "resultsBody"), "EventList")
    for event in events:
        _add_event(listed, event)
    return bytes(tree.tostring(root, encoding="utf-8", xml_declaration=True))


def _add_event(parent: tree.Element, event: Mapping[str, Any]) -> None:
    event = to_object_event(event)
    kind = event["type"]
    if kind not in KINDS:
        raise EpcisException(
            NOT_ACCEPTABLE,
            f"an event of the kind {kind} has no form in XML",
            token="Accept",
            hint="ask for application/json",
        )
    element = tree.SubElement(parent, kind)
    rest = [name for name in event if name not in _FIRST]
    for name in (*_FIRST, *rest):
        if name in event and name not in ("type", *SERVICE_FIELDS):
            _add(element, name, event[name])


def _add(parent: tree.Element, name: str, value: Any) -> None:
    if ":" in name:
        _add_extension(parent, name, value)
    elif name in _ITEMS:
        inner = tree.SubElement(parent, name)
        for item in value:
            _add(inner, _ITEMS[name], item)
    elif name in _TYPED:
        _add_typed(tree.SubElement(parent, name), value, *_TYPED[name])
    elif isinstance(value, list):
        for item in value:
            _add(parent, name, item)
    elif name in _WITH_ATTRIBUTES:
        _add_attributes(tree.SubElement(parent, name), value)
    elif isinstance(value, Mapping):
        inner = tree.SubElement(parent, name)
        for field, item in value.items():
            _add(inner, field, item)
    else:
        tree.SubElement(parent, name).text = _text(value, _TERMS.get(name))


def _add_typed(
    parent: tree.Element, items: Sequence[Mapping[str, Any]], name: str, kinds: StandardTerms
) -> None:
    """Add items that have a type and a value."""
    for item in items:
        kind = {"type": _text(item["type"], kinds)} if "type" in item else {}
        tree.SubElement(parent, name, kind).text = _text(item[name])


def _add_attributes(element: tree.Element, value: Mapping[str, Any]) -> None:
    for name, item in value.items():
        element.set(_tag(name), _text(item, _OF_REPORTS.get(name)))


def _add_extension(parent: tree.Element, name: str, value: Any) -> None:
    """Add an extension as it was parsed: members as elements, each value as an element."""
    for item in value if isinstance(value, list) else [value]:
        element = tree.SubElement(parent, _tag(name))
        if not isinstance(item, Mapping):
            element.text = _text(item)
            continue
        for member, inner in item.items():
            if member == TEXT:
                element.text = _text(inner)
            else:
                _add_extension(element, member, inner)


def _tag(name: str) -> str:
    namespace, local = split_name(name)
    return f"{{{namespace}}}{local}" if namespace else local


def _text(value: Any, terms: StandardTerms | None = None) -> str:
    text = scalar_text(value) if value is not None else ""
    return terms.web + text if terms is not None and ":" not in text else text
