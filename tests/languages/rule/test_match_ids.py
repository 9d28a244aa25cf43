"""Members that ring again: every ring has an id of its own, and the same one on every host."""

from __future__ import annotations

import pytest

import tocsin
from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.reference import matches
from tocsin.values.time import parse_instant

UNTIL = "1970-01-01T00:01:00Z"
RULES = [
    "WHEN NO c WITHIN 8s THEN (COUNT(b) >= 1 OVER 8s EVERY 3s)",
    "WHEN NO c WITHIN 2s THEN (SUM(b.v) >= 1 OVER 9s EVERY 2s)",
    "WHEN COUNT(b) >= 1 OVER 8s EVERY 3s",
]


@pytest.mark.parametrize("rule", RULES)
def test_every_ring_has_an_id_of_its_own_on_every_host(rule: str) -> None:
    body = {"id": "b1", "source": "s", "type": "b", "time": "1970-01-01T00:00:05Z"}
    event = from_mapping({**body, "specversion": "1.0", "data": {"v": 1}})
    hub = tocsin.Hub()
    hub.subscribe(rule, language="rule", id="s")
    rung = [*hub.publish(event), *hub.advance_to(UNTIL)]
    plan = compile_subscription(Subscription("s", "rule", rule))
    meant = matches("s", plan, [event], parse_instant(UNTIL))
    assert len(meant) > 1
    assert [match.id for match in rung] == [match.id for match in meant]
    assert len({match.id for match in rung}) == len(rung)
