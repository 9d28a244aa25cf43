"""The schema of an EPCIS 2.0 event: the fields of each kind of event, and the required ones.

After the JSON schema of the standard (EPCIS 2.0, section 7.4): ObjectEvent, AggregationEvent,
TransactionEvent, TransformationEvent, AssociationEvent, and other kinds, whose type is a URI and
whose fields may be any of these. QuantityEvent of EPCIS 1.x, which 2.0 has removed, is a kind of
its own, with `epcClass` and `quantity`. If a form of 2.0 is needed (documents of 2.0, the event
hash), it is the ObjectEvent that observes that quantity (EPCIS 1.1, section 7.4.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.events.codecs.epcis import json_context
from tocsin.events.codecs.epcis.field_readers import (
    Reading,
    boolean,
    find_types,
    format_value,
    hex_binary,
    instant,
    items,
    matching,
    number,
    one_or_more,
    read_members,
    record,
    reference,
    term,
    text,
    uri,
    wrong,
)
from tocsin.events.codecs.epcis.json_context import NameContext, expand_name, names_of
from tocsin.events.views.epcis import MASTER_DATA, NAMESPACES

QUANTITY_EVENT = "QuantityEvent"
_OBJECT_EVENT = "ObjectEvent"
_FORMER_NAME = "@type"
"""Member with the name of a QuantityEvent in the form that earlier versions of Tocsin stored."""
_COUNTED = ("epcClass", "quantity")


def to_object_event(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the form of 2.0 of a QuantityEvent; any other event unchanged."""
    if attributes.get("type") != QUANTITY_EVENT:
        return attributes
    rest = {name: item for name, item in attributes.items() if name not in _COUNTED}
    counted = {name: attributes[name] for name in _COUNTED if name in attributes}
    return {**rest, "type": _OBJECT_EVENT, "action": "OBSERVE", "quantityList": [counted]}


def from_former_form(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the QuantityEvent that an earlier version wrote as an ObjectEvent with its name in
    `@type`.

    Any other event is returned unchanged.
    """
    if (attributes.get("type"), attributes.get(_FORMER_NAME)) != (_OBJECT_EVENT, QUANTITY_EVENT):
        return attributes
    match attributes.get("quantityList"):
        case [dict() as counted] if "epcList" not in attributes:
            pass
        case _:
            return attributes
    apart = ("action", "quantityList", _FORMER_NAME)
    rest = {name: item for name, item in attributes.items() if name not in apart}
    return {**rest, **counted, "type": QUANTITY_EVENT}


ACTIONS = ("ADD", "OBSERVE", "DELETE")

_ACTION = matching("|".join(ACTIONS), "ADD, OBSERVE or DELETE")
_QUANTITIES = items(
    record(
        {"epcClass": uri, "quantity": number, "uom": matching("[A-Z0-9]{2,3}", "KGM")},
        ("epcClass",),
    )
)
_PLACE = record({"id": uri}, ("id",))
_DISPOSITIONS = one_or_more(term(json_context.DISPOSITION))
_PARTY = term(json_context.PARTY_TYPE)
_DEVICE: dict[str, Reading] = {
    "deviceID": uri,
    "deviceMetadata": uri,
    "rawData": uri,
    "dataProcessingMethod": uri,
    "bizRules": uri,
    "time": instant,
}
_REPORT = record(
    {
        **_DEVICE,
        "type": term(json_context.MEASUREMENT),
        "exception": term(json_context.ALERT),
        "component": term(json_context.COMPONENT),
        "microorganism": uri,
        "chemicalSubstance": uri,
        "coordinateReferenceSystem": uri,
        "uriValue": uri,
        "stringValue": text,
        "hexBinaryValue": hex_binary,
        "booleanValue": boolean,
        "uom": text,
        **dict.fromkeys(
            ("value", "minValue", "maxValue", "meanValue", "sDev", "percRank", "percValue"), number
        ),
    }
)
_SENSOR = record(
    {
        "sensorMetadata": record({**_DEVICE, "startTime": instant, "endTime": instant}),
        "sensorReport": one_or_more(_REPORT),
    },
    ("sensorReport",),
)
_ERROR = record(
    {
        "declarationTime": instant,
        "reason": term(json_context.ERROR_REASON),
        "correctiveEventIDs": one_or_more(uri),
    },
    ("declarationTime",),
)


def _kept(value: Any, at: str, _: NameContext) -> dict[str, Any]:
    """Return the master data in normal data unchanged."""
    if not isinstance(value, dict):
        raise wrong(at, f"expected an object, got {format_value(value)}")
    return value


_COMMON: dict[str, Reading] = {
    "type": text,
    "eventTime": instant,
    "recordTime": instant,
    "eventTimeZoneOffset": matching(r"[+-](0\d|1[0-4]):[0-5]\d", "+02:00"),
    "eventID": uri,
    "errorDeclaration": _ERROR,
    "certificationInfo": one_or_more(reference),
    "bizStep": term(json_context.BIZ_STEP),
    "disposition": term(json_context.DISPOSITION),
    "persistentDisposition": record({"set": _DISPOSITIONS, "unset": _DISPOSITIONS}),
    "readPoint": _PLACE,
    "bizLocation": _PLACE,
    "bizTransactionList": items(
        record(
            {"type": term(json_context.TRANSACTION_TYPE), "bizTransaction": uri},
            ("bizTransaction",),
        )
    ),
    "sourceList": items(record({"type": _PARTY, "source": uri}, ("type", "source"))),
    "destinationList": items(record({"type": _PARTY, "destination": uri}, ("type", "destination"))),
    "sensorElementList": items(_SENSOR),
    MASTER_DATA: items(_kept),
}
_EPCS, _ACTED, _ILMD = items(uri), {"action": _ACTION}, {"ilmd": record({})}


@dataclass(frozen=True, slots=True)
class _Kind:
    """The fields of a kind of event, the required ones, and those of which at least one is
    required.
    """

    fields: Mapping[str, Reading]
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    parent_unless_observed: bool = False


_TIMES = ("eventTime", "eventTimeZoneOffset")
_CHILDREN: dict[str, Reading] = {
    "parentID": uri,
    "childEPCs": _EPCS,
    "childQuantityList": _QUANTITIES,
}
_OBJECTS: dict[str, Reading] = {"epcList": _EPCS, "quantityList": _QUANTITIES}
_CHANGED: dict[str, Reading] = {
    "transformationID": uri,
    "inputEPCList": _EPCS,
    "inputQuantityList": _QUANTITIES,
    "outputEPCList": _EPCS,
    "outputQuantityList": _QUANTITIES,
}

KINDS: dict[str, _Kind] = {
    "ObjectEvent": _Kind(
        _COMMON | _ACTED | _OBJECTS | _ILMD,
        (*_TIMES, "action"),
        ("epcList", "quantityList", "sensorElementList"),
    ),
    "AggregationEvent": _Kind(
        _COMMON | _ACTED | _CHILDREN, (*_TIMES, "action"), parent_unless_observed=True
    ),
    "TransactionEvent": _Kind(
        _COMMON | _ACTED | _OBJECTS | {"parentID": uri}, (*_TIMES, "action", "bizTransactionList")
    ),
    "TransformationEvent": _Kind(_COMMON | _CHANGED | _ILMD, _TIMES, tuple(_CHANGED)),
    "AssociationEvent": _Kind(_COMMON | _ACTED | _CHILDREN, (*_TIMES, "action", "parentID")),
    QUANTITY_EVENT: _Kind(
        _COMMON | {"epcClass": uri, "quantity": number}, (*_TIMES, "epcClass", "quantity")
    ),
}
_OWN_KIND = _Kind(_COMMON | _ACTED | _OBJECTS | _CHILDREN | _CHANGED | _ILMD, _TIMES)


def normal_event(value: Any, at: str, names: NameContext) -> dict[str, Any]:
    """Return the event in normal form; raises at the first wrong or missing field."""
    if not isinstance(value, dict):
        raise wrong(at or "event", f"expected an event, got {format_value(value)}")
    inside = names_of(value.get("@context"), names)
    given = from_former_form({_bare(name): item for name, item in value.items()})
    name = _kind_name(given.get("type"), f"{at}.type" if at else "type", inside)
    kind = KINDS.get(name, _OWN_KIND)
    _check_presence(given, at, kind)
    found = read_members(given, at, names, kind.fields, kind.required)
    return found | find_types(found, inside.types) | {"type": name}


def _bare(name: str) -> str:
    """Return a name of the standard's own vocabulary without its namespace."""
    return name.removeprefix("epcis:").removeprefix(NAMESPACES["epcis"])


def _kind_name(written: Any, at: str, names: NameContext) -> str:
    """Return the name of a kind of event: one of the standard, or the full name of another."""
    name = (
        expand_name(written.strip(), names).removeprefix("epcis:")
        if isinstance(written, str)
        else ""
    )
    if name not in KINDS and ":" not in name:
        raise wrong(
            at,
            f"{format_value(written)} is no kind of event",
            f"known: {', '.join(KINDS)}; one of your own is a URI",
        )
    return name


def _check_presence(given: Mapping[str, Any], at: str, kind: _Kind) -> None:
    """Raise if a required field is missing; before reading, as an empty list is present."""
    if kind.one_of and not any(given.get(name) is not None for name in kind.one_of):
        raise wrong(at or "event", f"one of {', '.join(kind.one_of)} is missing")
    parentless = kind.parent_unless_observed and given.get("parentID") is None
    if parentless and given.get("action") in ("ADD", "DELETE"):
        raise wrong(
            f"{at}.parentID" if at else "parentID",
            "parentID is missing",
            "only OBSERVE goes without it",
        )
