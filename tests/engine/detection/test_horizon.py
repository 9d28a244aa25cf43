"""The horizon is a matter of meaning: a plan with it, in the engine, against the definition, in the
reference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import ANY_POLICY, expected, key, play
from tests.timelines import ROLES, timelines
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    BeforeWindow,
    BetweenWindow,
    Join,
    Part,
    Plan,
    Triggered,
)
from tocsin.plan.nodes.rewriting import with_parts
from tocsin.plan.semantics.bounds import with_horizon
from tocsin.reference.windows import longest_wait


def bounded(part: Part, horizon: int) -> Part:
    """Decision 0007 as it is written: what no window bounds waits for at most the horizon."""
    part = with_parts(part, lambda inner: bounded(inner, horizon))
    match part:
        case Join(parts, keep=None) if any(
            longest_wait(part, slot) is None for slot in range(len(parts))
        ):
            return replace(part, keep=horizon)
        case Absence(_, BetweenWindow(), keep=None) | Triggered(keep=None):
            return replace(part, keep=horizon)
        case Absence(_, BeforeWindow(_, length), keep=None):
            return replace(part, keep=horizon + length)
        case _:
            return part


@given(ROLES, ROLES, st.integers(0, 4), st.integers(0, 3), timelines())
def test_the_horizon_of_what_is_kept_before_a_part(
    absent: Part, part: Part, length: int, horizon: int, events: list[Event]
) -> None:
    assert_agree(Absence(absent, BeforeWindow(part, length)), events, horizon)


@given(ANY_POLICY, timelines(), st.integers(0, 3))
def test_the_horizon_bounds_what_nothing_else_does(
    pattern: Part, events: list[Event], horizon: int
) -> None:
    assert_agree(pattern, events, horizon)


def assert_agree(pattern: Part, events: list[Event], horizon: int) -> None:
    network = Network()
    network.add("s", with_horizon(Plan(pattern), horizon).pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(bounded(pattern, horizon), events)
