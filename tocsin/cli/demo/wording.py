"""An event of the story in a few words, for a row of the screen. What is not of the story is shown by its id."""

from __future__ import annotations

import json
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
}


def in_words(text: str) -> str:
    """The short text of an event given as CloudEvents JSON, after the time of day when it happened."""
    event: Mapping[str, Any] = json.loads(text)
    words = _WORDS.get(event["type"])
    said = words.format_map(event["data"]) if words else event["id"]
    return f"{event['time'][11:16]} {said}"
