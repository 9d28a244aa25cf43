"""Composites in words: what each of the demo asks for, and what happened when it rang.

A ring is told by the time at which it rang; `{at}` is when its last event happened, which may be
hours before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tocsin.events.matches.match import Match
from tocsin_demo.board import time_of_day
from tocsin_demo.composites import WARM
from tocsin_demo.pallets import IDLE, OPENED, WAITED
from tocsin_demo.purchases import SETTLED
from tocsin_demo.tours import ARRIVES, FALLS_OUT, LEAVES, MISSING, UNLOADS

_RINGS = {
    LEAVES: "{truck} leaves the warehouse",
    ARRIVES: "{truck} is at the customer, in time",
    MISSING: "{truck} left at {at} and has not arrived",
    UNLOADS: "{truck} unloads at the customer since {at}",
    WARM: "the cold room of {depot} gets warm: {celsius} C",
    FALLS_OUT: "convoy {convoy}: its trucks are over 2 km apart",
    OPENED: "{pallet} was unpacked before it was shipped",
    WAITED: "{pallet} is shipped over an hour after packing",
    IDLE: "no pallet was packed from {since} to {until}",
    SETTLED: "{$order} of {$buyer}: {$sum} to pay",
}
TOLD = frozenset(_RINGS)


def ring_in_words(match: Match, event: Mapping[str, Any] | None) -> str:
    """What happened, after the time at which the bell rang; `event` is the last one, where there is
    one.
    """
    rang = "" if match.detected is None else f"{time_of_day(match.detected)} "
    return rang + _RINGS[match.subscription].format_map(_fields(match, event))


def _fields(match: Match, event: Mapping[str, Any] | None) -> dict[str, Any]:
    """What words can speak of: the members of the last event, the values of the match, its
    window.
    """
    since, _, until = match.bindings.get("absence", "").partition("/")
    fields: dict[str, Any] = dict(match.bindings) | {"since": since[11:16], "until": until[11:16]}
    if event is None:
        return fields
    members = event["data"] if isinstance(event["data"], dict) else {}
    return (
        fields | members | {"at": event["time"][11:16], "pallet": event["id"].partition("-step")[0]}
    )
