"""Documents of the interface in JSON-LD: query results, collections, and single events.

Events are returned as the standard has them: internal fields are left out, and an extension field
has a prefix that the document declares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tocsin.events.codecs.epcis.event import same
from tocsin.events.codecs.epcis.identifiers import CANONICAL, canonical
from tocsin.events.codecs.epcis.json_context import split_name
from tocsin.events.codecs.epcis.quantity_event import to_object_event
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
