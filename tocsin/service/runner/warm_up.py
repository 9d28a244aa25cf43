"""Warm-up of compiled code before the first event needs it.

`warm_all` compiles all of it into the cache on disk, as set-up and `tocsin warm` do.
"""

from __future__ import annotations

import json
from functools import cache

from tocsin.catalog import Subscription
from tocsin.engine.detection.batch.detector import MIN_EVENTS_TO_LOAD
from tocsin.engine.detection.pair_table import MAX_PAIRS_IN_PYTHON
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


_PAIRS = [
    f'=|(STRING: kind = "a"; {number}s)(STRING: kind = "b")'
    for number in range(1, MAX_PAIRS_IN_PYTHON + 3)
]
_XML = [
    {"id": f"x{number}", "source": "warm-up", "type": "warm-up", "data": f"<a><b>{number}</b></a>"}
    | {"time": "2026-01-01T00:00:02Z", "datacontenttype": "application/xml"}
    for number in range(100)
]
_TURTLE = {
    "id": "t",
    "source": "warm-up",
    "type": "warm-up",
    "time": "2026-01-01T00:00:02Z",
    "datacontenttype": "text/turtle",
    "data": "@prefix : <urn:warm-up:> . _:H a :Sale ; :of _:x . _:x a :Thing ; :in _:y .",
}
_OTHERS = (
    ("graph", "PREFIX : <urn:warm-up:> ASK { _:H a :Sale ; :of ?x . ?x a :Thing . ?x :in ?y }"),
    ("graph", "PREFIX : <urn:warm-up:> ASK { _:H a :Sale ; :of ?x . ?x a :Other }"),
    ("exmlql", "WHERE <a><b>$x</></> CONSTRUCT <o>$x</>"),
    *(("opsl", expression) for expression in (*_PAIRS, *_COMPOSITES)),
)


def warm_all() -> None:
    """Compile all code, also for languages and numbers of subscriptions that few services have."""
    warm_up()
    hub = StepHub(lateness="0s", ahead=None)
    for number, (language, expression) in enumerate(_OTHERS):
        hub.add(Subscription(f"s{number}", language, expression))
    hub.publish([json.dumps(event).encode() for event in (*_XML, _TURTLE, *_MANY)])
    for event in _MANY:
        hub.publish([event | {"id": f"one {event['id']}"}])
    hub.publish([json.dumps(event).encode() for event in _MANY])
    hub.advance(parse_instant("2026-01-01T00:00:03Z"))
    hub.snapshot()
    hub.advance(parse_instant("2026-01-01T00:01:00Z"))


if __name__ == "__main__":
    warm_all()
