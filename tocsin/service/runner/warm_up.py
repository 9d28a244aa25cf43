"""Warm-up of compiled code before the first event needs it.

Run as a module, it compiles all of it into the cache on disk, as set-up does.
"""

from __future__ import annotations

import json
from functools import cache

from tocsin.catalog import Subscription
from tocsin.engine.detection.batch.detector import MIN_EVENTS_TO_LOAD
from tocsin.hub.step_hub import StepHub
from tocsin.values.time import parse_instant

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
_MANY = [
    _EVENTS[0]
    | {"id": f"m{number}", "data": {"kind": "ab"[number % 2], "key": number % 8, "price": number}}
    for number in range(2 * MIN_EVENTS_TO_LOAD)
]
_EXPRESSIONS = (
    "price < 400 AND kind = 'a'",
    "price BETWEEN 1 AND 2 OR kind IN ('b', 'c')",
    "kind LIKE 'a%' AND NOT price = 5",
)
_NAMED = '$x; = (STRING: kind = "a"), $y; = (STRING: kind = "b")'
_COMPOSITES = (
    f"=|($x;;5s)($y;) WHERE $x;.key = $y;.key AND $y;.price > $x;.price, {_NAMED}",
    f"!($x;;5s)($y;) WHERE $x;.key = $y;.key, {_NAMED}",
    '@(POLYGON((0 0, 2 0, 2 2, 0 0)))(STRING: kind = "a")',
)


@cache
def warm_up() -> None:
    """Match, scan and detect small batches of events, so that all compiled code is loaded; once in
    a process.
    """
    hub = StepHub(lateness="0s", ahead=None)
    for number, expression in enumerate(_EXPRESSIONS):
        hub.add(Subscription(f"atomic {number}", "selector", expression))
    hub.publish(_EVENTS)
    for number, expression in enumerate(_COMPOSITES):
        hub.add(Subscription(f"composite {number}", "opsl", expression))
    hub.publish([json.dumps(event).encode() for event in _MANY])
    hub.publish([_EVENTS[0] | {"id": "alone"}])
    hub.advance(parse_instant("2026-01-01T00:00:01Z"))


if __name__ == "__main__":
    warm_up()
