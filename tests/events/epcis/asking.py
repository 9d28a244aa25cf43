"""What a query means, read off the standard and applied to events as they are written in JSON. Slow
and plain.

It shares no code with the package: terms are cut out of their spellings, keys are compared by their
digits, times by the standard library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {"GT": gt, "GE": ge, "LT": lt, "LE": le}
LISTS = {
    "bizTransaction": "bizTransactionList",
    "source": "sourceList",
    "destination": "destinationList",
}
QUANTITY_LISTS = ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList")
EPC_LISTS = {
    "MATCH_epc": ("epcList", "childEPCs"),
    "MATCH_parentID": ("parentID",),
    "MATCH_inputEPC": ("inputEPCList",),
    "MATCH_outputEPC": ("outputEPCList",),
    "MATCH_anyEPC": ("epcList", "childEPCs", "inputEPCList", "outputEPCList", "parentID"),
}


def answers(query: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether the event is in the result of the query."""
    return all(_holds(name, value, event) for name, value in query.items())


def _holds(name: str, value: Any, event: dict[str, Any]) -> bool:
    relation, _, field = name.partition("_")
    if name == "eventType":
        return event["type"] in value
    if name in ("EQ_action", "EQ_bizStep", "EQ_disposition"):
        return word(event.get(field)) in map(word, value)
    if name in ("EQ_readPoint", "EQ_bizLocation"):
        return field in event and location(event[field]["id"]) in map(location, value)
    if field in ("eventTime", "recordTime"):
        return field in event and RELATIONS[relation](_time(event[field]), _time(value))
    if name in EPC_LISTS:
        return any(
            _fits(pattern, epc) for pattern in value for epc in _epcs(event, EPC_LISTS[name])
        )
    if field.startswith("quantity"):
        return _measured(relation, field, value, _quantities(event))
    if field.startswith("value"):
        return _measured(relation, field, value, _reports(event))
    if name == "EQ_type":
        return any(word(report.get("type")) in map(word, value) for report in _reports(event))
    if name == "EXISTS_errorDeclaration":
        return "errorDeclaration" in event
    field, _, kind = field.partition("_")
    return any(
        word(item.get("type")) == kind and item[field] in value
        for item in event.get(LISTS[field], ())
    )


def word(term: Any) -> Any:
    """The last part of a term of the vocabulary; a term of one's own as it is."""
    found = re.fullmatch(
        r"(?:urn:epcglobal:cbv:\w+:|(?:https://ref.gs1.org/cbv/|cbv:)\w+-|gs1:)(\w+)", str(term)
    )
    return found.group(1) if found else term


def location(place: str) -> str:
    """Company prefix and reference of a location with its extension, without the check digit."""
    urn = re.fullmatch(r"urn:epc:id:sgln:(\d+)\.(\d*)\.(.+)", place)
    link = re.fullmatch(r"https://[^/]+/414/(\d{12})\d(?:/254/(.+))?", place)
    if urn:
        return f"{urn[1]}{urn[2]}/{urn[3]}"
    return f"{link[1]}/{link[2] or '0'}" if link else place


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _epcs(event: dict[str, Any], fields: tuple[str, ...]) -> Iterator[str]:
    for field in fields:
        given = event.get(field, [])
        yield from given if isinstance(given, list) else [given]


def _fits(pattern: str, epc: str) -> bool:
    """The same text, or the company prefix of a pattern `urn:epc:idpat:sgtin:PREFIX.*.*`."""
    wild = re.fullmatch(r"urn:epc:idpat:sgtin:(\d+)\.\*\.\*", pattern)
    if not wild:
        return pattern == epc
    link = re.search(r"/01/\d(\d{12})\d/21/", epc)
    return epc.startswith(f"urn:epc:id:sgtin:{wild[1]}.") or bool(
        link and link[1].startswith(wild[1])
    )


def _measured(relation: str, field: str, value: Any, items: Iterator[dict[str, Any]]) -> bool:
    name, _, unit = field.partition("_")
    found = [item[name] for item in items if name in item and (not unit or item.get("uom") == unit)]
    return any(
        each in value if relation == "EQ" else RELATIONS[relation](each, value) for each in found
    )


def _quantities(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for field in QUANTITY_LISTS:
        yield from event.get(field, ())


def _reports(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for element in event.get("sensorElementList", ()):
        yield from element["sensorReport"]
