"""Texts in order of code points: indexes, scan, reference and plain Python agree; work and memory
are bounded.
"""

from __future__ import annotations

from operator import ge, gt, le, lt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.worlds import pairs, pairs_of_reference, subscribed
from tocsin.engine.columns.batch import ArrowBatch, Batch
from tocsin.engine.conditions.comparisons import TextOrder
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.plan.nodes.atoms import AllOf, Between, BooleanNode, Condition, Equals, Not, Ordered
from tocsin.reference import holds
from tocsin.values.scalars import Constant
from tocsin.values.truth import Truth

RELATIONS = {"<": lt, "<=": le, ">": gt, ">=": ge}
PATH = ("a",)

letters = st.characters(exclude_categories=("Cs",))
texts = st.one_of(
    st.sampled_from(
        [
            "",
            "a",
            "A",
            "aa",
            "a\0",
            "NaN",
            "nan",
            "inf",
            "10",
            "9",
            "ä",
            "\uffff",
            "\U00010000",
            "😀",
        ]
    ),
    st.text(letters, max_size=4),
)
values = st.one_of(
    texts,
    texts,
    st.sampled_from([None, 0, 9, -1.5, float("inf"), True, False, [], ["a"], {"a": "a"}]),
)
orderings = st.tuples(st.sampled_from(sorted(RELATIONS)), texts)


def plain(relation: str, value: Any, limit: str) -> bool | None:
    """The meaning in plain Python: None where it is unknown."""
    return (
        RELATIONS[relation]([*map(ord, value)], [*map(ord, limit)])
        if isinstance(value, str)
        else None
    )


@given(
    st.lists(orderings, min_size=1, max_size=12),
    st.lists(values, min_size=1, max_size=20),
    st.sampled_from([0, 99]),
)
def test_all_agree_with_plain_python(given_orderings, given_values, few):
    nodes: list[BooleanNode] = []
    for relation, limit in given_orderings:
        nodes += [
            Ordered(PATH, relation, Constant.of(limit)),
            Not(Ordered(PATH, relation, Constant.of(limit))),
        ]
    given_events = [build_unread_event({"a": value}) for value in given_values]
    expected = [
        (i, str(2 * place + (not wanted)))
        for i, value in enumerate(given_values)
        for place, (relation, limit) in enumerate(given_orderings)
        for wanted in (True, False)
        if plain(relation, value, limit) is wanted
    ]
    assert pairs(subscribed(Matcher(few=few), nodes), Batch(given_events)) == expected
    assert pairs(subscribed(ScanMatcher(), nodes), Batch(given_events)) == expected
    assert pairs_of_reference(nodes, given_events) == expected


@given(texts, texts, values, st.sampled_from([Truth.UNKNOWN, Truth.FALSE]))
def test_between_is_both_limits(low, high, value, mismatch):
    node = Between(PATH, Constant.of(low), Constant.of(high), mismatch)
    inside = isinstance(value, str) and low <= value <= high
    outside = (
        not inside and value is not None and (isinstance(value, str) or mismatch is Truth.FALSE)
    )
    for matcher in (Matcher(few=0), Matcher(), ScanMatcher()):
        found = pairs(
            subscribed(matcher, [node, Not(node)]), Batch([build_unread_event({"a": value})])
        )
        assert found == [(0, "0")] * inside + [(0, "1")] * outside
    assert holds(Condition(node), build_unread_event({"a": value})) is inside


@given(
    st.lists(st.tuples(st.booleans(), orderings), max_size=30),
    st.lists(values, min_size=1, max_size=5),
)
def test_limits_may_come_and_go(changes, given_values):
    """Whatever was added and removed before, what is there answers as if it had been there
    alone.
    """
    matcher, there = Matcher(), {}
    batch = Batch([build_unread_event({"a": value}) for value in given_values])
    for number, (adding, (relation, limit)) in enumerate(changes):
        if adding or not there:
            there[str(number)] = Ordered(PATH, relation, Constant.of(limit))
            matcher.add(str(number), Condition(there[str(number)]))
        else:
            key = next(iter(there))
            del there[key]
            matcher.remove(key)
    fresh = Matcher()
    for key, node in there.items():
        fresh.add(key, Condition(node))
    assert pairs(matcher, batch) == pairs(fresh, batch)
    assert matcher.distinct_predicates == fresh.distinct_predicates


@given(st.lists(texts, min_size=1, max_size=30), texts)
def test_a_scale_keeps_the_order_of_texts(limits, other):
    scale = TextOrder()
    for limit in dict.fromkeys(limits):
        scale.add(limit)
    for limit in limits:
        numbers = scale.number_of(other), scale.number_of(limit)
        assert (numbers[0] < numbers[1], numbers[0] == numbers[1]) == (
            other < limit,
            other == limit,
        )


@pytest.mark.parametrize("inward", [True, False])
def test_a_scale_that_runs_out_of_room_gets_new_numbers(inward):
    """Limits that close in on one place leave no room there after some fifty; the order holds all
    the same.
    """
    limits = (
        ["b" + "a" * count for count in range(200, 0, -1)]
        if inward
        else ["a" * count for count in range(1, 200)]
    )
    scale = TextOrder()
    scale.add("b")
    renumbered = sum(scale.add(limit) for limit in limits)
    numbers = [scale.number_of(limit) for limit in sorted([*limits, "b"])]
    assert numbers == sorted(set(numbers))
    assert max(map(abs, numbers)) <= 2**52
    assert renumbered > 0


def test_many_limits_in_any_order_are_compared_right_by_the_matcher():
    limits = ["b" + "a" * count for count in range(150, 0, -1)]
    matcher = subscribed(Matcher(), [Ordered(PATH, "<", Constant.of(limit)) for limit in limits])
    for few_events in (
        [build_unread_event({"a": "baaa"})],
        [build_unread_event({"a": "baaa"})] * 40,
    ):
        expected = [str(place) for place, limit in enumerate(limits) if limit > "baaa"]
        assert [key for i, key in pairs(matcher, Batch(few_events)) if i == 0] == expected


def test_an_equality_beside_it_keeps_the_subscription_from_being_looked_at():
    """An ordering is no anchor: what is anchored at an equality costs nothing for other events."""
    node = AllOf((Equals(("kind",), Constant.of("x")), Ordered(PATH, "<", Constant.of("m"))))
    matcher = subscribed(Matcher(), [node])
    assert pairs(matcher, Batch([build_unread_event({"kind": "y", "a": "b"})])) == []
    assert matcher.work.candidates == 0


@pytest.mark.parametrize("few", [0, 1000])
def test_each_distinct_text_ordering_is_decided_once_per_event(few):
    nodes = [Ordered(PATH, "<", Constant.of(f"{n % 10}")) for n in range(100)]
    matcher = subscribed(Matcher(few=few), nodes)
    matcher.match(Batch([build_unread_event({"a": "5"})] * 20))
    assert 0 < matcher.work.predicate_evaluations <= 10 * 20


@pytest.mark.parametrize("few", [0, 1000])
def test_arrow_columns_of_texts(few):
    rows = ["b", None, "", "😀", "b", "\uffff"] * 10
    for array in (pa.array(rows), pa.array(rows).dictionary_encode()):
        batch = ArrowBatch(
            pa.table({"c": array}), {PATH: "c"}, lambda i: build_unread_event({"a": rows[i]})
        )
        nodes = [
            Ordered(PATH, ">", Constant.of("\uffff")),
            Between(PATH, Constant.of(""), Constant.of("b")),
        ]
        expected = pairs_of_reference(nodes, [build_unread_event({"a": row}) for row in rows])
        assert pairs(subscribed(Matcher(few=few), nodes), batch) == expected
