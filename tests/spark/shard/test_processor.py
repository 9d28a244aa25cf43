"""The stateful operator against the local host: random plans and timelines, any cut, workers lost
on the way.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.spark.shard.wire_worlds import arrivals, rings_as_the_local_host, wire_plans
from tests.timelines import patterns, timelines
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.nodes.composites import Plan, Policy

__all__ = ["wire_plans"]


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Plan], list[str]]:
    policy = draw(st.sampled_from(list(Policy)))
    plans = draw(st.lists(patterns(policy), min_size=1, max_size=3))
    composites = [Plan(each) for each in plans if not isinstance(each, Condition)]
    return composites, draw(arrivals(draw(timelines(size=9))))


@given(world=worlds(), data=st.data())
def test_any_cut_into_batches_and_partitions_rings_as_the_local_host(
    world: tuple[list[Plan], list[str]], data: st.DataObject
) -> None:
    plans, lines = world
    rings_as_the_local_host(plans, lines, data.draw(st.integers(1, 3)), data)
