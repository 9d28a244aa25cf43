"""QuantityEvent of EPCIS 1.x, removed in 2.0: a count of a class of things.

It is a kind of its own, with `epcClass` and `quantity`. If a form of 2.0 is needed (documents of
2.0, the event hash), it is the ObjectEvent that observes that quantity (EPCIS 1.1, section 7.4.4).
Earlier versions of Tocsin stored it in that form, with its name in `@type`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

QUANTITY_EVENT = "QuantityEvent"
_OBJECT_EVENT = "ObjectEvent"
_FORMER_NAME = "@type"
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
