"""The paper's algorithm step by step: its own example with tables 2 to 4, and the same matches as
everywhere else.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.engine.worlds import event_lists, expressions, pairs_of_reference
from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import condition_of, event_with
from tests.languages.selector.test_scenarios import BOOK, BOOK_ON_JMS, LISTED, PROCESSED
from tocsin.errors import MeaningProblem
from tocsin.papers.selector_list import ListTrace, StepKind, SubscriptionList
from tocsin.plan.explain.atoms import predicate_text
from tocsin.plan.nodes.atoms import predicates_of
from tocsin.plan.passes import prepared_expression
from tocsin.values.truth import Truth

parse = SELECTOR.parse

T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN


def traced(selectors: dict[str, str], data: dict[str, Any], *, reorder: bool = True) -> ListTrace:
    listed = SubscriptionList(reorder=reorder)
    for key, text in selectors.items():
        listed.add(key, condition_of(parse(text)).expression)
    return listed.trace(event_with(data))


def steps_of(trace: ListTrace, key: str) -> list[tuple[str, str, Truth]]:
    walk = next(walk for walk in trace.walks if walk.key == key)
    return [
        (step.how.value, predicate_text(step.test.predicate), step.value) for step in walk.steps
    ]


def table_after(trace: ListTrace, key: str) -> list[tuple[str, Truth]]:
    """The table props as it stood when a selector was done."""
    done = [walk.key for walk in trace.walks].index(key) + 1
    rows = max((step.row for walk in trace.walks[:done] for step in walk.steps), default=0)
    return [(predicate_text(predicate), result) for predicate, result in trace.props.items()][:rows]


QREILLY, JACK, LIKE = "Publisher = 'QReilly'", "Author = 'Jack'", "Abstract LIKE '%JMS%'"
PRICE, COMPUTER, OREILLY = "Price < 200", "Type = 'Computer'", "Publisher = 'OReilly'"


def test_the_papers_example_gives_the_papers_tables():
    """The processed forms as printed, on the abstract that the paper's table 3 assumes
    (specification 5.3 and 5.4).
    """
    trace = traced(PROCESSED, BOOK_ON_JMS, reorder=False)
    table_2 = [(QREILLY, F), (JACK, T)]
    table_3 = [*table_2, (PRICE, T), (LIKE, T)]
    table_4 = [*table_3, (COMPUTER, F)]
    assert table_after(trace, "Sub1") == table_2
    assert table_after(trace, "Sub2") == table_3
    assert table_after(trace, "Sub3") == table_4
    assert table_after(trace, "Sub4") == table_4
    assert steps_of(trace, "Sub1") == [
        ("evaluated", QREILLY, F),
        ("skipped", LIKE, F),
        ("evaluated", JACK, T),
    ]
    assert steps_of(trace, "Sub2") == [
        ("evaluated", PRICE, T),
        ("evaluated", LIKE, T),
        ("skipped", COMPUTER, T),
    ]
    assert steps_of(trace, "Sub3") == [
        ("evaluated", COMPUTER, F),
        ("skipped", OREILLY, F),
        ("reused", JACK, T),
    ]
    assert steps_of(trace, "Sub4") == [
        ("reused", PRICE, T),
        ("skipped", LIKE, T),
        ("skipped", QREILLY, T),
    ]
    assert trace.matches == ["Sub1", "Sub2", "Sub3", "Sub4"]


def test_the_listed_subscriptions_take_eight_evaluations():
    """Specification 5.2: twelve occurrences of predicates, eight evaluations, Sub1 and Sub3
    ring.
    """
    trace = traced(LISTED, BOOK)
    hows = [step.how for walk in trace.walks for step in walk.steps]
    assert (
        len(hows),
        hows.count(StepKind.EVALUATED),
        hows.count(StepKind.REUSED),
        hows.count(StepKind.SKIPPED),
    ) == (12, 8, 1, 3)
    assert trace.matches == ["Sub1", "Sub3"]
    assert steps_of(trace, "Sub3") == [
        ("evaluated", OREILLY, T),
        ("evaluated", "Type = 'PDA'", T),
        ("skipped", JACK, T),
    ]


def test_the_last_node_is_not_the_result():
    """Specification R4: c is assigned, d is evaluated and not true, and the whole is true all the
    same.
    """
    trace = traced({"s": "a = 1 AND b = 1 OR c = 1 AND d = 1"}, {"a": 1, "b": 1, "c": 0, "d": 0})
    assert [(how, value) for how, _, value in steps_of(trace, "s")] == [
        ("evaluated", T),
        ("evaluated", T),
        ("skipped", T),
        ("evaluated", F),
    ]
    assert trace.matches == ["s"]


def test_what_is_skipped_is_never_entered_and_a_sign_comes_before_unknown():
    trace = traced({"s": "NOT a = 1 AND b = 2", "t": "b = 2"}, {"b": 2})
    assert steps_of(trace, "s") == [("evaluated", "a = 1", U), ("skipped", "b = 2", F)]
    assert steps_of(trace, "t") == [("evaluated", "b = 2", T)]
    assert trace.matches == ["t"]


def test_a_list_in_parentheses_is_one_node():
    trace = traced({"s": "(a = 1 OR b = 1) AND c = 1"}, {"a": 1, "b": 1, "c": 0})
    assert [how for how, *_ in steps_of(trace, "s")] == ["evaluated", "skipped", "skipped"]
    assert trace.matches == []


@given(expressions, event_lists)
def test_it_rings_when_the_reference_says_so_and_evaluates_each_predicate_once(nodes, given_events):
    listed = SubscriptionList()
    for place, node in enumerate(nodes):
        listed.add(str(place), node)
    found = [
        (i, key) for i, event in enumerate(given_events) for key in listed.trace(event).matches
    ]
    assert found == pairs_of_reference(nodes, given_events)
    distinct = {predicate for node in nodes for predicate in predicates_of(node)}
    for event in given_events:
        trace = listed.trace(event)
        evaluated = [
            step.test.predicate
            for walk in trace.walks
            for step in walk.steps
            if step.how is StepKind.EVALUATED
        ]
        assert len(evaluated) == len(set(evaluated)) == len(trace.props) <= len(distinct)


@given(expressions)
def test_a_list_says_every_test_of_the_selector_in_its_order(nodes):
    for node in nodes:
        listed = SubscriptionList()
        listed.add("s", node)
        prepared = prepared_expression(node)
        trace = listed.trace(event_with())
        shown = [step.test.predicate for step in trace.walks[0].steps]
        assert shown == list(predicates_of(prepared))


def test_a_negation_that_was_not_pushed_down_is_refused():
    listed = SubscriptionList(reorder=False)
    with pytest.raises(MeaningProblem, match="negation"):
        listed.add("s", condition_of(parse("NOT (a = 1 AND b = 2)")).expression)
