"""An event of the story in a few words, for a row of the screen. What is not of the story is shown
by its id.

Of a text, which is a graph or a document, a few parts are picked out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_WORDS = {
    "shop.order.placed": "{customer} ({tier}) {quantity} x {product}, {total:,.2f}",
    "shop.searched": "{words!r} in the {channel}: {results} found",
    "shop.payment.failed": "{order} {amount:,.2f} by {payment}: {reason}, attempt {attempt}",
    "shop.review.posted": "{stars} of 5, {text}",
    "shop.price.changed": "{product}: {old:,.2f} -> {new:,.2f}",
    "shop.stock.counted": "{product}: {left} left, {reserved} reserved",
    "shop.return.requested": "{order} {amount:,.2f}: {reason}, day {days}",
    "fleet.van.position": "{van} ({driver}) {speed} km/h, limit {limit}, battery {battery} %",
    "fleet.van.fault": "{van} ({driver}) {part}, severity {severity}",
    "fleet.truck.position": "{truck}, {role} of convoy {convoy}",
    "fleet.parcel.scanned": "{parcel} at {depot}, {kilos} kg, {handling}",
    "fleet.parcel.delivered": "{parcel} to {to} by {van}, {minutes_late:+d} min",
    "fleet.parcel.failed": "{parcel} {van}: {reason}, attempt {attempt}",
    "depot.climate": "{depot}, {room} room: {celsius} C, {humidity} %",
    "auction.offer.row": "{target[type]} of {seller[name]}, {price[value]}",
    "auction.offer.graph": "{kind} of {seller}, {price} {currency}",
    "epcis.captured": "{bizStep} ({type}, {action})",
    "purchase.document": "{kind} {number}",
}
_PARTS = {
    "auction.offer.graph": (
        r":name '(?P<seller>[^']*)'",
        r"units:(?P<currency>\w+) ; rdf:value (?P<price>\d+)",
        r"_:c a :(?P<kind>\w+)",
    ),
    "purchase.document": (r"<(?P<kind>\w+) xmlns", r"<b:ID>(?P<number>[^<]*)"),
}
_VALUES = ("value", "maker")


def in_words(text: str) -> str:
    """The short text of an event given as CloudEvents JSON, after the time of day when it
    happened.
    """
    event: Mapping[str, Any] = json.loads(text)
    words = _WORDS.get(event["type"])
    said = words.format_map(_parts(event)) if words else event["id"]
    return f"{event['time'][11:16]} {said}"


def values_in_words(bindings: Mapping[str, str]) -> str:
    """Those values of a match that tell more than its event does; starts with a comma where there
    are any.
    """
    return "".join(f", {name} = {bindings[name]}" for name in _VALUES if name in bindings)


def _parts(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """What words can speak of: the members of an object, the parts picked out of a text."""
    data = event["data"]
    if not isinstance(data, str):
        return dict(data)
    found = (re.search(pattern, data) for pattern in _PARTS[event["type"]])
    return {name: part for match in found if match for name, part in match.groupdict().items()}
