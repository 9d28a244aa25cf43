"""Indexes, scan and reference ring for the same events, in the same order, however the events are
cut into batches.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.worlds import (
    cut,
    event_lists,
    expressions,
    pairs,
    pairs_of_reference,
    subscribed,
)
from tests.strategies import HUGE, PATHS, events
from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.matcher import MAX_PROGRAMS_IN_PYTHON, Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Between, Equals, Not, OneOf, Ordered
from tocsin.values.scalars import Constant
from tocsin.values.truth import Truth

BEYOND_FLOATS = (10**400, 10**400 + 1, -(10**400))
SIZES = (1, 63, 64, 65, 130)
PLAIN_RUNS = st.sampled_from([0, 5, MAX_PROGRAMS_IN_PYTHON])
"""How many programs plain Python runs before compiled code does."""


@given(expressions, event_lists)
def test_scan_agrees_with_the_reference(nodes, given_events):
    assert pairs(subscribed(ScanMatcher(), nodes), Batch(given_events)) == pairs_of_reference(
        nodes, given_events
    )


@pytest.mark.parametrize(
    ("low", "high"), [(1, 2), (2.0, 2), (2, 3.5), (3, 1), ("2", "3"), ("2", "2")]
)
def test_limits_belong_to_ranges_as_the_reference_says(low, high):
    ends = (Constant.of(low), Constant.of(high))
    nodes = [
        Between(("v",), *ends),
        *(Ordered(("v",), way, end) for way in ("<", "<=", ">", ">=") for end in ends),
    ]
    given_events = [
        build_unread_event({"v": value})
        for value in (0, 1, 1.5, 2, 2.5, 3, 3.5, 4, "1", "2", "3", "4", True, None)
    ]
    expected = pairs_of_reference(nodes, given_events)
    assert pairs(subscribed(ScanMatcher(), nodes), Batch(given_events)) == expected
    assert pairs(subscribed(Matcher(few=0), nodes), Batch(given_events)) == expected
    assert pairs(subscribed(Matcher(few=20), nodes), Batch(given_events)) == expected


@given(expressions, event_lists)
def test_bit_vectors_agree_with_the_reference(nodes, given_events):
    matcher = subscribed(Matcher(few=0), nodes)
    assert pairs(matcher, Batch(given_events)) == pairs_of_reference(nodes, given_events)


@given(expressions, event_lists, PLAIN_RUNS)
def test_single_events_agree_with_the_reference(nodes, given_events, plain):
    matcher = subscribed(Matcher(few=len(given_events), plain=plain), nodes)
    assert pairs(matcher, Batch(given_events)) == pairs_of_reference(nodes, given_events)


@given(expressions, event_lists)
def test_programs_that_are_run_plainly_do_the_same_work(nodes, given_events):
    work = []
    for plain in (0, MAX_PROGRAMS_IN_PYTHON):
        matcher = subscribed(Matcher(few=len(given_events), plain=plain), nodes)
        matcher.match(Batch(given_events))
        work.append(matcher.work)
    assert work[0] == work[1]


@given(
    expressions,
    st.lists(events(), min_size=3, max_size=9),
    st.sampled_from(SIZES),
    st.sampled_from(SIZES),
)
def test_words_and_blocks_have_no_seams(nodes, few_events, size, block):
    given_events = [few_events[i % len(few_events)] for i in range(size)]
    matcher = subscribed(Matcher(few=0, block=block), nodes)
    assert pairs(matcher, Batch(given_events)) == pairs_of_reference(nodes, given_events)


@given(
    expressions,
    st.lists(events(), max_size=20),
    st.lists(st.integers(0, 9), max_size=4),
    PLAIN_RUNS,
)
def test_any_cut_into_batches_gives_the_same(nodes, given_events, sizes, plain):
    matcher = subscribed(Matcher(few=4, plain=plain), nodes)
    found, before = [], 0
    for batch in cut(given_events, sizes):
        found += [(before + i, key) for i, key in pairs(matcher, batch)]
        before += batch.size
    assert found == pairs_of_reference(nodes, given_events)


wide_numbers = st.one_of(
    st.sampled_from(HUGE + BEYOND_FLOATS),
    st.integers(2**53 - 2, 2**53 + 4),
    st.integers(2**63 - 2, 2**63 + 2),
    st.sampled_from([2.0**53, 2.0**63, 1e30, float("inf"), float("-inf"), 0.5, 1]),
)
wide_constants = wide_numbers.map(Constant.of)
wide_predicates = st.one_of(
    st.builds(Ordered, PATHS, st.sampled_from(["<", "<=", ">", ">="]), wide_constants),
    st.builds(
        Between,
        PATHS,
        wide_constants,
        wide_constants,
        st.sampled_from([Truth.UNKNOWN, Truth.FALSE]),
    ),
    st.builds(OneOf, PATHS, st.frozensets(wide_constants, min_size=1, max_size=3)),
)


@given(
    st.lists(st.one_of(wide_predicates, wide_predicates.map(Not)), max_size=12),
    st.lists(
        st.fixed_dictionaries({"a": wide_numbers, "b": wide_numbers}).map(build_unread_event),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([0, 99]),
    PLAIN_RUNS,
)
def test_numbers_that_floats_confuse_are_told_apart(nodes, given_events, few, plain):
    matcher = subscribed(Matcher(few=few, plain=plain), nodes)
    assert pairs(matcher, Batch(given_events)) == pairs_of_reference(nodes, given_events)


@pytest.mark.parametrize("few", [0, 1])
def test_neighbours_above_two_to_the_53(few):
    limit = Constant.of(2**53 + 1)
    nodes = [Ordered(("a",), relation, limit) for relation in ("<", "<=", ">", ">=")] + [
        Equals(("a",), limit)
    ]
    matcher = subscribed(Matcher(few=few), nodes)
    assert pairs(matcher, Batch([build_unread_event({"a": 2**53})])) == [(0, "0"), (0, "1")]
    assert pairs(matcher, Batch([build_unread_event({"a": 2**53 + 1})])) == [
        (0, "1"),
        (0, "3"),
        (0, "4"),
    ]
    assert pairs(matcher, Batch([build_unread_event({"a": 2.0**53 + 2})])) == [(0, "2"), (0, "3")]


@pytest.mark.parametrize("few", [0, 1])
def test_nan_counts_as_null(few):
    """No codec lets NaN through; should one appear all the same, every comparison with it is
    unknown.
    """
    limit = Constant.of(1)
    nodes = [
        Ordered(("a",), "<", limit),
        Not(Ordered(("a",), "<", limit)),
        Not(Equals(("a",), limit)),
    ]
    assert (
        pairs(subscribed(Matcher(few=few), nodes), Batch([build_unread_event({"a": float("nan")})]))
        == []
    )


@pytest.mark.parametrize("few", [0, 2])
def test_a_lenient_true_mismatch_is_true_for_other_kinds_only(few):
    node = Equals(("a",), Constant.of(1), Truth.TRUE)
    given_events = [build_unread_event({"a": value}) for value in (1, 2, "x", None, True, [1])]
    nodes = [node, Not(node)]
    matcher = subscribed(Matcher(few=few * 9), nodes)
    assert pairs(matcher, Batch(given_events)) == pairs_of_reference(nodes, given_events)


@pytest.mark.parametrize(
    "matcher", [Matcher(few=0), Matcher(few=9), ScanMatcher()], ids=["blocks", "one by one", "scan"]
)
def test_the_empty_conjunction_rings_always_and_the_empty_disjunction_never(matcher):
    subscribed(matcher, [AllOf(()), AnyOf(()), AnyOf((AllOf(()), Equals(("a",), Constant.of(1))))])
    assert pairs(matcher, Batch([build_unread_event({}), build_unread_event({"a": 1})])) == [
        (0, "0"),
        (0, "2"),
        (1, "0"),
        (1, "2"),
    ]


@pytest.mark.parametrize("matcher", [Matcher(), ScanMatcher()])
def test_no_events_and_no_subscriptions_give_no_hits(matcher):
    assert pairs(matcher, Batch([])) == []
    assert pairs(matcher, Batch([build_unread_event({})] * 100)) == []
    subscribed(matcher, [AllOf(())])
    assert pairs(matcher, Batch([])) == []
