"""An order between two parts is screened by extremes: nobody is asked where nobody can fit, and
nobody is missed.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tests.builders import SECOND, build_event
from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Plan
from tocsin.reference import matches
from tocsin.runtime.finite_run import Input, match_events

RELATIONS = st.sampled_from(["<", "<=", ">", ">="])
VALUES = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.5, -2.5, 10**20, 1e300]),
    st.booleans(),
    st.just("2"),
    st.none(),
)
READINGS = st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("ab"), VALUES), max_size=14)


def plan(relation: str) -> Plan:
    text = (
        f"=|($X;;5s)($Y;) WHERE $X;.key = $Y;.key AND $Y;.v {relation} $X;.v, "
        '$X; = (STRING: kind = "x"), $Y; = (STRING: kind = "y")'
    )
    return compile_subscription(Subscription("s", "opsl", text))


def event(number: int, kind: str, key: str, value: object) -> Event:
    data = {"kind": kind, "key": key} | ({} if value is None else {"v": value})
    return build_event(f"e{number:02d}", time=number * SECOND, data=data)


@given(RELATIONS, READINGS)
def test_every_order_finds_what_the_reference_finds(
    relation: str, readings: list[tuple[str, str, object]]
) -> None:
    events = [event(number, *reading) for number, reading in enumerate(readings)]
    mine = match_events({"s": plan(relation)}, Input(events=list(events)))
    assert [each.events for each in mine] == [
        each.events for each in matches("s", plan(relation), events)
    ]


def test_what_was_forgotten_stands_for_nobody_any_more() -> None:
    hub = tocsin.Hub(lateness="0s")
    rings: list[tocsin.Match] = []
    text = (
        "=|($X;;1s)($Y;) WHERE $X;.key = $Y;.key AND $Y;.v > $X;.v, "
        '$X; = (STRING: kind = "x"), $Y; = (STRING: kind = "y")'
    )
    hub.subscribe(text, language="opsl", to=rings.append)
    readings = [(0, "x", 1), (10, "x", 5), (11, "y", 3), (20, "y", 9), (30, "x", 5), (31, "y", 6)]
    for number, kind, value in readings:
        each = event(number, kind, "a", value)
        hub.publish({**each.envelope, "data": each.data})
    hub.advance_to("1970-01-01T00:01:00Z")
    assert [ring.events for ring in rings] == [("e30", "e31")]
