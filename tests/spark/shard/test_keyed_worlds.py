"""Random composites that a key parts, on any number of shards against the local host."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.parted_worlds import busy_timelines, parted_patterns
from tests.spark.shard.wire_worlds import arrivals, rings_as_the_local_host, wire_plans
from tests.timelines import UNLIKE, patterns
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.nodes.composites import Plan, Policy

__all__ = ["wire_plans"]

POLICIES = st.sampled_from(list(Policy))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Plan], list[str]]:
    """Plans that a key parts, and others beside them that want the same events."""
    parted = draw(st.lists(POLICIES.flatmap(parted_patterns), min_size=1, max_size=3))
    others = draw(st.lists(POLICIES.flatmap(patterns), max_size=1))
    plans = [Plan(each) for each in (*parted, *others) if not isinstance(each, Condition)]
    events = draw(st.one_of(busy_timelines(), busy_timelines(), busy_timelines(UNLIKE)))
    return plans, draw(arrivals(events))


@given(world=worlds(), shards=st.integers(2, 5), data=st.data())
def test_keyed_composites_ring_as_on_the_local_host(
    world: tuple[list[Plan], list[str]], shards: int, data: st.DataObject
) -> None:
    """For any number of shards, in any cut and any order within the lateness, workers lost
    anywhere.
    """
    plans, lines = world
    rings_as_the_local_host(plans, lines, shards, data)
