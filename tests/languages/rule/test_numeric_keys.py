"""Keys that are one number in several spellings: every host tells the same key under the same id."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tocsin
from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.reference import matches
from tocsin.values.partition_hash import partition_of
from tocsin.values.time import parse_instant

UNTIL = "2026-01-01T00:01:00Z"
SPELLINGS = {
    "1": ["1", "1.0", "1e0", "10e-1", "1.00"],
    "0": ["0", "-0", "0.0", "-0.0", "0e5"],
    "9007199254740992": ["9007199254740992", "9007199254740992.0", "9.007199254740992e15"],
    "100000000000000000000": ["100000000000000000000", "1e20"],
    "1.5": ["1.5", "15e-1", "1.50"],
}
"""What a match tells for a key, and how events may write it."""

OTHERS = ["true", "false", '"1"', '"1.0"', "9007199254740993", "-1"]
WRITTEN = st.sampled_from([*(each for all_ in SPELLINGS.values() for each in all_), *OTHERS])
RULES = [
    "WHEN COUNT(b) < 2 OVER 3s FOR EACH k",
    "WHEN COUNT(b) <> 1 OVER 3s FOR EACH k, j",
    "WHEN COUNT(DISTINCT b.j) < 2 OVER 3s FOR EACH k",
    "WHEN COUNT(b) < 2 OVER 3s FOR EACH k[]",
    "WHEN COUNT(b) >= 2 OVER 3s FOR EACH k[]",
    "WHEN b THEN b WITHIN 3s FOR EACH k[]",
    "WHEN b THEN NO b WITHIN 3s FOR EACH k[]",
    "WHEN b BECOMES j = 1 FOR EACH k[]",
]


def _event(number: int, second: int, key: str, other: str) -> Any:
    envelope = f'"specversion":"1.0","id":"e{number}","source":"s","type":"b"'
    time = f'"time":"2026-01-01T00:00:{second:02}Z"'
    return decode(f'{{{envelope},{time},"data":{{"k":{key},"j":{other}}}}}')


EVENTS = st.lists(st.tuples(st.integers(0, 9), WRITTEN, WRITTEN), max_size=6).map(
    lambda drawn: [_event(n, *each) for n, each in enumerate(sorted(drawn))]
)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=60, deadline=None)
@given(events=EVENTS)
def test_the_hub_tells_the_key_that_the_reference_tells(rule: str, events: list[Any]) -> None:
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(rule, language="rule", id="s")
    rung = [match for event in events for match in hub.publish(event)]
    rung += hub.advance_to(UNTIL)
    plan = compile_subscription(Subscription("s", "rule", rule))
    meant = matches("s", plan, events, parse_instant(UNTIL))
    assert sorted((each.id, sorted(each.bindings.items())) for each in rung) == sorted(
        (each.id, sorted(each.bindings.items())) for each in meant
    )


@pytest.mark.parametrize("told", SPELLINGS)
@given(data=st.data())
def test_a_key_is_told_in_one_form_and_has_one_share(told: str, data: st.DataObject) -> None:
    first, last = (data.draw(st.sampled_from(SPELLINGS[told])) for _ in range(2))
    events = [_event(0, 0, first, "1"), _event(1, 1, last, "1")]
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe("WHEN COUNT(b) < 1 OVER 3s FOR EACH k", language="rule", id="s")
    rung = [match for event in events for match in hub.publish(event)]
    rung += hub.advance_to(UNTIL)
    assert [match.bindings["k"] for match in rung] == [told]
    shares = {partition_of([event.attribute(("k",))], 1_009) for event in events}
    assert len(shares) == 1
