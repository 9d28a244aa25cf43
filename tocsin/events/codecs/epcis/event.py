"""Conversion of normal EPCIS data to the event model: identity, interval and place.

The id is the eventID, else the event hash of the Core Business Vocabulary, the same for every
spelling of the same event. A declaration that an event was wrong repeats the eventID of that event,
so its own id adds the time of the declaration. The place is the first `geo:` URI of readPoint and
bizLocation. The envelope gets readpoint, bizlocation and parentid in their common spelling, so that
an index can compare them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.epcis.event_hash import event_hash
from tocsin.events.codecs.epcis.event_schema import QUANTITY_EVENT
from tocsin.events.codecs.epcis.field_readers import wrong
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.events.event import Event, value_at
from tocsin.events.views.epcis import EpcisData
from tocsin.values.scalars import Path
from tocsin.values.time import Interval, parse_instant, require_event_time

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
