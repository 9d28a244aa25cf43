"""Adding and removing in any order is the same as building at once; what is removed leaves nothing
behind.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.worlds import event_lists, pairs, pairs_of_reference, subscribed
from tests.strategies import boolean_nodes
from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.engine.index.growable import Growable
from tocsin.errors import StateProblem
from tocsin.plan.nodes.atoms import AllOf, Condition, Equals, Like, Not, OneOf, Ordered
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant

MATCHERS = [lambda: Matcher(few=0), lambda: Matcher(few=99), ScanMatcher]
IDS = ["blocks", "one by one", "scan"]


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
@given(
    changes=st.lists(st.tuples(st.sampled_from("abcdef"), boolean_nodes()), max_size=20),
    given_events=event_lists,
)
def test_any_history_of_changes_matches_like_its_outcome(make, changes, given_events):
    matcher, living = make(), {}
    for key, node in changes:
        if key in living:
            matcher.remove(key)
            del living[key]
        else:
            matcher.add(key, Condition(node))
            living[key] = node
    expected = [
        (i, list(living)[int(place)])
        for i, place in pairs_of_reference(list(living.values()), given_events)
    ]
    assert pairs(matcher, Batch(given_events)) == expected
    assert len(matcher) == len(living)


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
@given(
    nodes=st.lists(boolean_nodes(), min_size=1, max_size=8),
    given_events=event_lists,
    order=st.randoms(),
)
def test_a_matcher_that_lost_everything_is_as_good_as_new(make, nodes, given_events, order):
    matcher = subscribed(make(), nodes)
    pairs(matcher, Batch(given_events))
    keys = [str(place) for place in range(len(nodes))]
    order.shuffle(keys)
    for key in keys:
        matcher.remove(key)
    assert len(matcher) == matcher.distinct_predicates == 0
    assert pairs(matcher, Batch(given_events)) == []


BACKWARD = ("_attribute", "homes", "_table")
"""References from a part to what holds it."""

NODES = [
    AllOf(
        (
            Equals(("a",), Constant.of(value)),
            Ordered(("b",), "<", Constant.of(value)),
            Not(Equals(("c",), Constant.of(str(value)))),
        )
    )
    for value in range(3000)
] + [
    AllOf(
        (
            OneOf(("c",), frozenset(Constant.of(f"{value + step}") for step in range(3))),
            Like(("c",), LikePattern.of((f"{value}x", Wild.ANY_RUN))),
            Like(("c",), LikePattern.of((Wild.ANY_RUN, f"{value}", Wild.ANY_ONE))),
        )
    )
    for value in range(3000)
]


def test_removing_everything_empties_every_table():
    matcher = subscribed(Matcher(), NODES)
    assert items_in(matcher) > 10 * len(NODES)
    for place in range(len(NODES)):
        matcher.remove(str(place))
    assert items_in(matcher) == items_in(Matcher())


def items_in(thing: object) -> int:
    """How many items all tables reachable from an object of the engine have together."""
    if isinstance(thing, np.ndarray):
        return 0
    if isinstance(thing, Growable):
        return len(thing)
    if isinstance(thing, dict):
        return len(thing) + sum(map(items_in, thing.values()))
    if isinstance(thing, list):
        return len(thing) + sum(map(items_in, thing))
    if not type(thing).__module__.startswith("tocsin.engine"):
        return 0
    names = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return sum(items_in(getattr(thing, name)) for name in names if name not in BACKWARD)


def test_changing_one_subscription_leaves_the_others_alone():
    """Adding costs the same number of table writes whether ten or thousands of others are there."""
    small, large = subscribed(Matcher(), NODES[:10]), subscribed(Matcher(), NODES[:3000])
    node = AllOf((Equals(("a",), Constant.of(-1)), Ordered(("b",), ">", Constant.of(-1))))
    for matcher in (small, large):
        before = matcher.distinct_predicates
        matcher.add("new", Condition(node))
        assert matcher.distinct_predicates == before + 2
        matcher.remove("new")
        assert matcher.distinct_predicates == before


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
def test_a_key_is_added_once_and_removed_once(make):
    matcher, node = make(), Equals(("a",), Constant.of(1))
    matcher.add("k", Condition(node))
    with pytest.raises(StateProblem) as twice:
        matcher.add("k", Condition(Equals(("a",), Constant.of(2))))
    assert twice.value.code == "DuplicateSubscriptionError"
    assert matcher.distinct_predicates == 1
    assert pairs(matcher, Batch([build_unread_event({"a": 1}), build_unread_event({"a": 2})])) == [
        (0, "k")
    ]
    matcher.remove("k")
    with pytest.raises(StateProblem) as gone:
        matcher.remove("k")
    assert gone.value.code == "UnknownSubscriptionError"
    assert "k" not in matcher


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
def test_hits_come_in_the_order_of_insertion_also_where_slots_are_used_again(make):
    matcher = make()
    for key in ("a", "b", "c"):
        matcher.add(key, Condition(AllOf(())))
    matcher.remove("a")
    matcher.add("d", Condition(AllOf(())))
    assert pairs(matcher, Batch([build_unread_event({})])) == [(0, "b"), (0, "c"), (0, "d")]
    with pytest.raises(StateProblem):
        matcher.remove("a")
