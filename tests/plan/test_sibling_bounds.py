"""A join beside a bounded one of the same named parts is bounded too, and nothing else changes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import expected, key, play
from tests.timelines import ATOMS, conditions, kind, timelines
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import End, Join, Moment, Named, Near, Policy, Precedes
from tocsin.plan.passes.settings import with_sibling_bounds
from tocsin.values.space import SpatialRelation


def close(length: int) -> tuple[Precedes, Precedes]:
    """The two parts of a join end at most so far apart."""
    first, second = Moment(0, End.FINISH), Moment(1, End.FINISH)
    return Precedes(first, second, -length, or_equal=True), Precedes(
        second, first, -length, or_equal=True
    )


def _pair() -> tuple[Named, Named]:
    return Named("a", kind("a")), Named("b", kind("b"))


@st.composite
def twice(draw: st.DrawFn) -> Join:
    """Two joins of the same named parts, one of them bounded in time."""
    policy = draw(st.sampled_from([Policy.DEFERRED, Policy.UNRESTRICTED, Policy.GLOBE]))
    both = (Named("a", draw(ATOMS)), Named("b", draw(ATOMS)))
    in_time = Join(both, close(draw(st.integers(0, 3))), policy)
    other = Join(tuple(draw(st.permutations(both))), draw(conditions(2)), policy)
    return Join(tuple(draw(st.permutations((in_time, other)))), (), policy)


@given(twice(), timelines())
def test_a_bound_from_beside_changes_no_result(pattern: Join, events: list[Event]) -> None:
    network = Network()
    network.add("s", with_sibling_bounds(pattern))
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


def test_the_relation_in_space_waits_no_longer_than_the_relation_in_time() -> None:
    both = _pair()
    in_time, in_space = (
        Join(both, close(10)),
        Join(both, (Near(0, SpatialRelation.NEARER, 1, 200.0),)),
    )
    assert with_sibling_bounds(Join((in_time, in_space))) == Join(
        (in_time, Join(both, in_space.conditions, keep=10))
    )


def test_single_use_keeps_its_own_bounds() -> None:
    both = _pair()
    in_time = Join(both, close(10), Policy.CHRONICLE)
    in_space = Join(both, (Near(0, SpatialRelation.NEARER, 1, 200.0),), Policy.CHRONICLE)
    whole = Join((in_time, in_space), (), Policy.CHRONICLE)
    assert with_sibling_bounds(whole) == whole
