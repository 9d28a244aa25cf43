"""Documents of the interface in JSON-LD and XML: query results, collections, and single events.

Events are returned as the standard has them: internal fields are left out, and an extension field
has a prefix that the document declares. XML is in the order of the EPCIS 2.0 schema. Parsed again
it gives the same events, but values of extensions become texts. Standard terms are written there as
web URIs of the Core Business Vocabulary. An event of a custom type has no form in XML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as tree

from tocsin.events.codecs.epcis import json_context
from tocsin.events.codecs.epcis.event import same
from tocsin.events.codecs.epcis.event_schema import KINDS, to_object_event
from tocsin.events.codecs.epcis.identifiers import CANONICAL, canonical
from tocsin.events.codecs.epcis.json_context import StandardTerms, split_name
from tocsin.events.views.document import TEXT, scalar_text
from tocsin.events.views.epcis import CONTEXT, MASTER_DATA, NAMESPACES
from tocsin.service.epcis.exceptions import NOT_ACCEPTABLE, EpcisException
from tocsin.values.time import Instant, format_instant

STANDARD_CONTEXT = "https://ref.gs1.org/standards/epcis/epcis-context.jsonld"
SCHEMA_VERSION = "2.0"

DIGITAL_LINK = "Always_GS1_Digital_Link"
EPC_URN = "Always_EPC_URN"
EPC_FORMATS = ("No_Preference", DIGITAL_LINK, EPC_URN, "Never_Translates")

SERVICE_FIELDS = (CONTEXT, MASTER_DATA, "@type")
_LINKS = ("http://", "https://")
_PREFIX = "ext"

Prefixes = dict[str, str]
"""Prefixes of a document by namespace."""


def query_document(
    events: Sequence[Mapping[str, Any]], query: str, now: Instant, subscription: str = ""
) -> dict[str, Any]:
    """Return the document of a query's result; with the id of a subscription if it is for one."""
    prefixes: Prefixes = {}
    told = [_event(event, prefixes) for event in events]
    results: dict[str, Any] = {"subscriptionID": subscription} if subscription else {}
    results |= {"queryName": query, "resultsBody": {"eventList": told}}
    return {
        "@context": _context(prefixes),
        "type": "EPCISQueryDocument",
        "schemaVersion": SCHEMA_VERSION,
        "creationDate": format_instant(now),
        "epcisBody": {"queryResults": results},
    }


def event_document(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return one event with its context."""
    prefixes: Prefixes = {}
    told = _event(event, prefixes)
    return {"@context": _context(prefixes), **told}


def collection(members: Sequence[str]) -> dict[str, Any]:
    """Return a collection of names."""
    return {"@context": STANDARD_CONTEXT, "type": "Collection", "member": list(members)}


def find_namespaces(events: Sequence[Mapping[str, Any]]) -> Prefixes:
    """Return the namespaces of the extension fields in events, each with its prefix."""
    prefixes: Prefixes = {}
    for event in events:
        _event(event, prefixes)
    return prefixes


def with_identifiers_as(event: Mapping[str, Any], wanted: str) -> Mapping[str, Any]:
    """Return the event with its GS1 identifiers in the requested form.

    Every EPC URI can become a link. The reverse needs the length of each company prefix: it raises
    EpcisException if an event was captured with links.
    """
    if wanted == DIGITAL_LINK:
        found: Mapping[str, Any] = same(event)
        return found
    if wanted == EPC_URN and _has_link(event):
        raise EpcisException(
            NOT_ACCEPTABLE,
            "an event of the result was captured with GS1 Digital Links, of which no EPC URI can"
            " be made without knowing the length of the company prefix",
            token="GS1-EPC-Format",
            hint="ask for Always_GS1_Digital_Link or No_Preference",
        )
    return event


def _has_link(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_link, value.values()))
    if isinstance(value, list):
        return any(map(_has_link, value))
    return isinstance(value, str) and value.startswith(_LINKS) and _is_key(value)


def _is_key(link: str) -> bool:
    """True if a link names a GS1 key: its canonical form then has the canonical address."""
    return canonical(link).startswith(CANONICAL)


def _event(event: Mapping[str, Any], prefixes: Prefixes) -> dict[str, Any]:
    told = {
        name: value for name, value in to_object_event(event).items() if name not in SERVICE_FIELDS
    }
    found: dict[str, Any] = _with_prefixes(told, prefixes)
    return found


def _with_prefixes(value: Any, prefixes: Prefixes) -> Any:
    if isinstance(value, Mapping):
        return {
            _short(name, prefixes): _with_prefixes(item, prefixes) for name, item in value.items()
        }
    return [_with_prefixes(item, prefixes) for item in value] if isinstance(value, list) else value


def _short(name: str, prefixes: Prefixes) -> str:
    namespace, local = split_name(name)
    if not namespace or not local or name.partition(":")[0] in NAMESPACES or name.startswith("@"):
        return name
    prefix = prefixes.setdefault(namespace, f"{_PREFIX}{len(prefixes) + 1}")
    return f"{prefix}:{local}"


def _context(prefixes: Prefixes) -> list[Any]:
    own = {prefix: namespace for namespace, prefix in prefixes.items()}
    return [STANDARD_CONTEXT, own] if own else [STANDARD_CONTEXT]


# The result of a query as XML.

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
    "bizStep": json_context.BIZ_STEP,
    "disposition": json_context.DISPOSITION,
    "set": json_context.DISPOSITION,
    "unset": json_context.DISPOSITION,
    "reason": json_context.ERROR_REASON,
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
    "bizTransactionList": ("bizTransaction", json_context.TRANSACTION_TYPE),
    "sourceList": ("source", json_context.PARTY_TYPE),
    "destinationList": ("destination", json_context.PARTY_TYPE),
}
_WITH_ATTRIBUTES = ("sensorMetadata", "sensorReport")
_OF_REPORTS: Mapping[str, StandardTerms] = {
    "type": json_context.MEASUREMENT,
    "exception": json_context.ALERT,
    "component": json_context.COMPONENT,
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
