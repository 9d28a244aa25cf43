"""Work is counted: each distinct predicate once per event, however many subscriptions share it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.worlds import event_lists, expressions, pairs, subscribed
from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.plan.nodes import atoms
from tocsin.plan.nodes.atoms import AllOf, Computed, Equals, Like, Not, Ordered
from tocsin.plan.nodes.expressions import Attribute, Call, Semantics, Value
from tocsin.plan.semantics import predicate_truth as truths
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant

ONE = Equals(("a",), Constant.of(1))
SUM = Computed(
    Call("=", (Call("+", (Attribute(("a",)), Attribute(("b",)))), Value(Constant.of(2)))),
    Semantics.SELECTOR,
)


@pytest.mark.parametrize("make", [lambda: Matcher(few=0), Matcher, ScanMatcher])
def test_a_predicate_shared_by_a_thousand_is_evaluated_once(make):
    """Spec 5.5, row 22."""
    matcher = subscribed(make(), [ONE] * 1000)
    assert len(pairs(matcher, Batch([build_unread_event({"a": 1})]))) == 1000
    assert matcher.distinct_predicates == 1
    assert matcher.work.predicate_evaluations == 1


@pytest.mark.parametrize("few", [0, 99])
def test_a_comparison_shared_by_all_is_made_once_for_an_event_that_concerns_all(few):
    nodes = [
        AllOf((Ordered(("b",), ">", Constant.of(0)), Ordered(("c",), "<", Constant.of(i))))
        for i in range(500)
    ]
    matcher = subscribed(Matcher(few=few), nodes)
    assert len(pairs(matcher, Batch([build_unread_event({"b": 1, "c": 100})]))) == 399
    assert matcher.work.predicate_evaluations == 501


@given(expressions, event_lists, st.sampled_from([0, 99]))
def test_no_predicate_is_evaluated_twice_for_one_event(nodes, given_events, few):
    for matcher in (Matcher(few=few), ScanMatcher()):
        subscribed(matcher, nodes)
        matcher.match(Batch(given_events))
        assert matcher.work.events == len(given_events)
        assert matcher.work.predicate_evaluations <= matcher.distinct_predicates * len(given_events)


@pytest.mark.parametrize("few", [0, 99])
def test_a_computed_predicate_is_evaluated_once_per_event_for_both_signs(few, monkeypatch):
    evaluated = []
    monkeypatch.setattr(
        truths,
        "evaluate_condition",
        lambda *given_arguments: evaluated.append(1) or EVALUATE(*given_arguments),
    )
    nodes = [SUM, Not(SUM), AllOf((SUM, ONE)), AllOf((Not(SUM), ONE))]
    matcher = subscribed(Matcher(few=few), nodes)
    found = pairs(matcher, Batch([build_unread_event({"a": 1, "b": b}) for b in (1, 2, "x")]))
    assert found == [(0, "0"), (0, "2"), (1, "1"), (1, "3")]
    assert len(evaluated) == 3


EVALUATE = truths.evaluate_condition  # type: ignore[attr-defined]


@pytest.mark.parametrize("few", [0, 99])
def test_a_subscription_whose_rare_predicate_fails_is_no_candidate(few):
    nodes = [
        AllOf((Ordered(("b",), ">", Constant.of(0)), Equals(("a",), Constant.of(value))))
        for value in range(500)
    ]
    matcher = subscribed(Matcher(few=few), nodes)
    assert pairs(
        matcher, Batch([build_unread_event({"a": 7, "b": 1}), build_unread_event({"a": 8, "b": 0})])
    ) == [(0, "7")]
    assert matcher.work.candidates == 2


def test_like_checks_only_patterns_whose_piece_is_in_the_text():
    patterns = [(Wild.ANY_RUN, f"{letter * 3}tail", Wild.ANY_RUN) for letter in "abcdefghij"]
    matcher = subscribed(Matcher(), [Like(("s",), LikePattern.of(pattern)) for pattern in patterns])
    assert pairs(
        matcher,
        Batch([build_unread_event({"s": "--ccctail--"}), build_unread_event({"s": "dddx"})]),
    ) == [(0, "2")]
    assert matcher.work.like_checks == 2


def test_a_text_seen_again_is_not_checked_again_until_patterns_change():
    long_prefix = Like(("s",), LikePattern.of(("prefix", Wild.ANY_RUN)))
    matcher = subscribed(Matcher(), [long_prefix])
    for _ in range(3):
        matcher.match(Batch([build_unread_event({"s": "prefixed"})]))
    assert matcher.work.like_checks == 1
    matcher.add("new", atoms.Condition(Like(("s",), LikePattern.of((Wild.ANY_RUN, "fixed")))))
    assert pairs(matcher, Batch([build_unread_event({"s": "prefixed"})])) == [(0, "0"), (0, "new")]
