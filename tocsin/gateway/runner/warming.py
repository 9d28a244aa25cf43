"""What takes long the first time is done before anybody waits for it: compiled code is loaded."""

from __future__ import annotations

import json

from tocsin.engine.texts.reading import FEW, scanned_events
from tocsin.hosts.local.hub import Hub

_EVENTS = [
    {
        "id": str(number),
        "source": "warm-up",
        "type": "warm-up",
        "time": "2026-01-01T00:00:00Z",
        "place": "POINT(1 1)",
        "data": {"price": number, "kind": "a"},
    }
    for number in range(3)
]
_EXPRESSIONS = (
    "price < 400 AND kind = 'a'",
    "price BETWEEN 1 AND 2 OR kind IN ('b', 'c')",
    "kind LIKE 'a%' AND NOT price = 5",
)


def warm_up() -> None:
    """Has one batch of events matched."""
    with Hub() as hub:
        for expression in _EXPRESSIONS:
            hub.subscribe(expression)
        hub.publish(*_EVENTS)
        hub.publish(_EVENTS[0] | {"id": "alone"})
    scanned_events([json.dumps(_EVENTS[0]).encode()] * FEW)
