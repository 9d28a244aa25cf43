"""Conversion of normal EPCIS data to the event model: identity, interval and place.

The id is the eventID, else the event hash of the Core Business Vocabulary, the same for every
spelling of the same event. A declaration that an event was wrong repeats the eventID of that event,
so its own id adds the time of the declaration. The place is the first `geo:` URI of readPoint and
bizLocation. The envelope gets readpoint, bizlocation and parentid in their common spelling, so that
an index can compare them.

The event hash of the Core Business Vocabulary 2.0 (section 8.9): an id of the content, in any
spelling.

The content of an event is written as one text in a fixed order, without recordTime, eventID and
error declaration, and hashed (RFC 6920). If the text of the standard is ambiguous or differs from
the published values, the values of its reference implementation decide
(RalphTro/epcis-event-hash-generator): the lists of transactions and parties are sorted among master
data and extensions, after the sensors, and a type precedes the value that it types.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.epcis.event_schema import QUANTITY_EVENT, to_object_event
from tocsin.events.codecs.epcis.field_readers import number_of, wrong
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.events.codecs.epcis.json_context import split_name, web_form
from tocsin.events.event import Event, value_at
from tocsin.events.views.document import TEXT, scalar_text
from tocsin.events.views.epcis import CONTEXT, MASTER_DATA, RENAMED, TERMS, TIMES, EpcisData
from tocsin.values.scalars import Path
from tocsin.values.time import (
    Interval,
    format_instant,
    is_instant,
    parse_instant,
    require_event_time,
)

_ORDER = (
    "eventTime eventTimeZoneOffset certificationInfo parentID epcList inputEPCList childEPCs"
    " quantityList childQuantityList inputQuantityList outputEPCList outputQuantityList action"
    " transformationID bizStep disposition persistentDisposition readPoint bizLocation"
    " sensorElementList"
).split()
_INNER: Mapping[str, Sequence[str]] = {
    "persistentDisposition": ("set", "unset"),
    "readPoint": ("id",),
    "bizLocation": ("id",),
    "quantityElement": ("epcClass", "quantity", "uom"),
    "sensorElement": ("sensorMetadata", "sensorReport"),
    "sensorMetadata": (
        "time startTime endTime deviceID deviceMetadata rawData"
        " dataProcessingMethod bizRules".split()
    ),
    "sensorReport": (
        "type exception deviceID deviceMetadata rawData dataProcessingMethod time microorganism"
        " chemicalSubstance value component stringValue booleanValue hexBinaryValue uriValue"
        " minValue maxValue meanValue sDev percRank percValue uom coordinateReferenceSystem".split()
    ),
    "bizTransactionList": ("type", "bizTransaction"),
    "sourceList": ("type", "source"),
    "destinationList": ("type", "destination"),
}
"""The order of the members of an object, by the name of the object or of its list."""
_ITEMS = {
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), "epc"),
    **dict.fromkeys(
        ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"),
        "quantityElement",
    ),
    "sensorElementList": "sensorElement",
    **dict.fromkeys(("bizTransactionList", "sourceList", "destinationList"), ""),
}
"""Lists whose name is written once, and the name of each item; transactions and parties have none.
"""
_FIELDS_NOT_HASHED = (
    "type",
    "@type",
    "recordTime",
    "eventID",
    "errorDeclaration",
    "rdfs:comment",
    CONTEXT,
    MASTER_DATA,
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_MILLISECOND = 1_000


def event_hash(attributes: Mapping[str, Any]) -> str:
    """Return the hash of an event in normal form: `ni:///sha-256;...?ver=CBV2.0`."""
    digest = hashlib.sha256(pre_hash(attributes).encode(errors="surrogatepass")).hexdigest()
    return f"ni:///sha-256;{digest}?ver=CBV2.0"


def pre_hash(attributes: Mapping[str, Any]) -> str:
    """Return the text to hash; for a QuantityEvent of 1.x that of its form in 2.0."""
    attributes = to_object_event(attributes)
    known = [_field_text(name, attributes[name], "") for name in _ORDER if name in attributes]
    rest = [name for name in attributes if name not in _ORDER and name not in _FIELDS_NOT_HASHED]
    return (
        f"eventType={_key(attributes['type'])}{''.join(known)}{_sorted(_others(attributes, rest))}"
    )


def _field_text(name: str, value: Any, area: str) -> str:
    """Return the text of a field of the standard with its value: a list, an object, or a scalar."""
    if name in _ITEMS:
        # an extension has a list of one as its item
        items = value if isinstance(value, list) else [value]
        return name + _sorted(_item(_ITEMS[name], item, name) for item in items)
    if isinstance(value, list):
        return _sorted(_field_text(name, item, area) for item in value)
    if isinstance(value, dict):
        return name + _members(value, name)
    return f"{name}={_standard(name, value, area)}"


def _item(name: str, item: Any, area: str) -> str:
    return (
        name + _members(item, name or area) if isinstance(item, dict) else f"{name}={_text(item)}"
    )


def _members(value: Mapping[str, Any], area: str) -> str:
    """Return the text of the members of an object in fixed order, then its extensions, sorted."""
    order = _INNER.get(area, ())
    known = [_field_text(name, value[name], area) for name in order if name in value]
    return "".join(known) + _sorted(_others(value, [name for name in value if name not in order]))


def _standard(name: str, value: Any, area: str) -> str:
    """Return the text of a scalar of a field of the standard."""
    if name in TIMES and isinstance(value, str):
        return _milliseconds(value)
    named = (
        TERMS.get(RENAMED.get((area, name), name))
        if isinstance(value, str) and ":" not in value
        else None
    )
    return f"{named}{value}" if named else _text(value)


def _others(value: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Yield extensions, master data and fields without a fixed order: each value with its name."""
    for name in names:
        if name in _ITEMS or (name in _INNER and not split_name(name)[0]):
            yield _field_text(name, value[name], "")
        elif name not in _FIELDS_NOT_HASHED:
            for item in value[name] if isinstance(value[name], list) else [value[name]]:
                yield _key(name) + _own(item)


def _own(value: Any) -> str:
    if isinstance(value, list):
        return _sorted(map(_own, value))
    if not isinstance(value, dict):
        return f"={_written(value)}"
    text = f"={_written(value[TEXT])}" if TEXT in value else ""
    return text + _sorted(_others(value, [name for name in value if name != TEXT]))


def _key(name: str) -> str:
    namespace, local = split_name(name)
    return f"{{{namespace}}}{local}" if namespace else local


def _text(value: Any) -> str:
    return canonical(value) if isinstance(value, str) else scalar_text(value)


def _written(value: Any) -> str:
    """Return the text of a value of an extension.

    A text may be a number or a standard term, since XML has only text.
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = number_of(value)
    return _text(web_form(value) if isinstance(value, str) else value)


def _milliseconds(value: str) -> str:
    """Return a time rounded to three decimals, half a millisecond up; any other text unchanged.

    The last half millisecond of the year 9999 is rounded down, as no later time can be written.
    """
    try:
        exact = parse_instant(value)
    except MeaningProblem:
        return _text(value)
    instant = (exact + _MILLISECOND // 2) // _MILLISECOND * _MILLISECOND
    if not is_instant(instant):
        instant = exact // _MILLISECOND * _MILLISECOND
    whole, _, fraction = format_instant(instant).removesuffix("Z").partition(".")
    return f"{whole}.{fraction:0<3}Z"


def _sorted(parts: Iterable[str]) -> str:
    return "".join(sorted(parts))


SOURCE = "urn:epcglobal:epcis"
"""The source of events without an envelope: an eventID is globally unique."""

KEYS: Mapping[Path, str] = {
    ("readPoint", "id"): "readpoint",
    ("bizLocation", "id"): "bizlocation",
    ("parentID",): "parentid",
}
"""Identifiers of which an event has at most one, with the context attribute for their common
spelling.
"""

_GEO = re.compile(r"geo:(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)(?:,-?\d+(?:\.\d+)?)?(?:;.*)?")


def event_of_attributes(attributes: dict[str, Any], source: str = SOURCE) -> Event:
    """Return the event with these attributes as data."""
    return from_envelope(
        attributes, {"id": event_id(attributes), "source": source, "type": attributes["type"]}
    )


def from_envelope(attributes: dict[str, Any], envelope: Mapping[str, Any]) -> Event:
    """Return the event with the id, source and type of an envelope; its time is the eventTime."""
    time = attributes["eventTime"]
    keys = common_keys(attributes)
    kind = own_type(attributes, envelope)
    whole = {**envelope, **keys, "type": kind, "time": time, "datacontenttype": "application/json"}
    whole.pop("endtime", None)
    try:
        moment = require_event_time(parse_instant(time), time)
    except MeaningProblem as problem:
        raise wrong("eventTime", problem.message, problem.hint) from None
    return Event(whole, EpcisData(attributes), Interval(moment, moment), place_of(attributes))


def own_type(attributes: Mapping[str, Any], envelope: Mapping[str, Any]) -> str:
    """Return the type of an envelope; QuantityEvent if an old version wrote ObjectEvent."""
    is_former = (attributes["type"], envelope["type"]) == (QUANTITY_EVENT, "ObjectEvent")
    return QUANTITY_EVENT if is_former else str(envelope["type"])


def common_keys(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return the context attributes for identifiers of the data, in their common spelling."""
    return {
        name: canonical(key)
        for path, name in KEYS.items()
        if (key := value_at(attributes, {}, path)) is not None
    }


def event_id(attributes: Mapping[str, Any]) -> str:
    """Return the eventID, else the hash of the content; with a suffix for an error declaration."""
    given = str(attributes.get("eventID") or event_hash(attributes))
    declared = attributes.get("errorDeclaration")
    return f"{given}#error-{declared['declarationTime']}" if declared else given


def same(value: Any) -> Any:
    """Return the value with every GS1 identifier in its common form."""
    if isinstance(value, dict):
        return {name: same(item) for name, item in value.items()}
    if isinstance(value, list):
        return [same(item) for item in value]
    return canonical(value) if isinstance(value, str) else value


def place_of(attributes: Mapping[str, Any]) -> str | None:
    """Return the place of a `geo:` URI (RFC 5870) as WKT, or None; raises if it is invalid."""
    for field in ("readPoint", "bizLocation"):
        place = str(attributes.get(field, {}).get("id", ""))
        if place.startswith("geo:"):
            return _point(place, f"{field}.id")
    return None


def _point(place: str, at: str) -> str:
    found = _GEO.fullmatch(place)
    if found is None:
        raise wrong(at, f"{place!r} is no geo URI", "write it like geo:52.52,13.405")
    latitude, longitude = found.group(1), found.group(2)
    if abs(float(latitude)) > 90 or abs(float(longitude)) > 180:
        raise wrong(
            at, f"{place!r} is not on the globe", "latitude comes first: geo:latitude,longitude"
        )
    return f"POINT ({longitude} {latitude})"
