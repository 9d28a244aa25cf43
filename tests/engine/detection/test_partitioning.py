"""The key of a composite: what is found in the shares of its events, one by one, is what is found in
all of them together.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import build_event
from tests.parted_worlds import CORRELATED, KEY, alike, busy_timelines, parted_patterns
from tests.timelines import UNLIKE, kind
from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.plan.explain.plan import summary_lines
from tocsin.plan.nodes.composites import (
    Absence,
    BetweenWindow,
    Either,
    End,
    EveryWindow,
    Join,
    Key,
    Moment,
    Named,
    Part,
    Plan,
    Policy,
    Precedes,
    Share,
    Sliding,
    Triggered,
    Waiting,
)
from tocsin.plan.nodes.expressions import Aggregate, Measure
from tocsin.plan.semantics.partitioning import partition_key_of, plan_for_partition
from tocsin.runtime.finite_run import Input, match_events
from tocsin.values.partition_hash import partition_of
from tocsin.values.time import format_instant

UNTIL = 40
X, Y, Z = Named("x", kind("a")), Named("y", kind("b")), Named("z", kind("c"))
EXCLUSIVE = Policy.EXCLUSIVE
FOLLOWS = Precedes(Moment(0, End.FINISH), Moment(1, End.START))


def event(told: str, instant: int) -> Event:
    """`a1` is an event of kind a whose v is 1; `a` has none."""
    value = {"v": int(told[1:])} if told[1:] else {}
    return build_event(f"{told}@{instant}", time=instant, data={"kind": told[0], **value})


BEGINNING = event("n", 0)


def found_in(plan: Plan, events: Sequence[Event]) -> list[str]:
    """What the local host tells, each match as it is told in full."""
    found = match_events({"s": plan}, Input([BEGINNING, *events]), UNTIL)
    return sorted(each.line() for each in found)


def found_in_shares(pattern: Part, by: Key, shares: int, events: Sequence[Event]) -> list[str]:
    """What is told of the shares, one by one."""
    plans = (plan_for_partition(Plan(pattern), Share(by, each, shares)) for each in range(shares))
    return sorted(line for plan in plans for line in found_in(plan, events))


@pytest.mark.parametrize("policy", Policy)
def test_shares_of_events_give_what_all_events_give(policy: Policy) -> None:
    @given(
        pattern=parted_patterns(policy),
        events=st.one_of(busy_timelines(), busy_timelines(), busy_timelines(UNLIKE)),
        shares=st.integers(1, 5),
    )
    @settings(max_examples=max(5, settings.default.max_examples // 2))
    def shares_give_it(pattern: Part, events: list[Event], shares: int) -> None:
        found = found_in_shares(pattern, partition_key_of(pattern).by, shares, events)
        assert found == found_in(Plan(pattern), events)

    shares_give_it()


@pytest.mark.parametrize(
    ("pattern", "line", "why_not"),
    [
        pytest.param(Join((X, Y), (FOLLOWS,)), "a0 b1", "no attribute", id="unrelated parts"),
        pytest.param(
            Join((X, Y, Z), (*alike("x", "y"), FOLLOWS)),
            "a0 b0 c1",
            "no equality joins all",
            id="a part apart",
        ),
        pytest.param(
            Join((X, Y), (*alike("x", "y"), FOLLOWS), Policy.EXCLUSIVE),
            "a0 a1 b1 b0",
            "policy exclusive",
            id="used up whatever the key",
        ),
        pytest.param(
            Absence(Z, BetweenWindow(X, Y), (*alike("x", "y"), *alike("x", "z")), Policy.EXCLUSIVE),
            "a0 a1 b1 b0",
            "policy exclusive",
            id="windows used up whatever the key",
        ),
        pytest.param(
            Join((X, Y, Z), alike("x", "y", "z"), Policy.RECENT),
            "a0 b0 a1 c0",
            "policy recent",
            id="the most recent whatever the key",
        ),
        pytest.param(
            Either((Absence(Z, EveryWindow(10)), Join((X, Y), alike("x", "y")))),
            "a0",
            "no part bounds",
            id="windows that come again",
        ),
        pytest.param(
            Absence(Z, BetweenWindow(X, Y), (*alike("x", "z"), *alike("z", "y"))),
            "a0 b1",
            "no equality joins all",
            id="the bounds of a window apart",
        ),
        pytest.param(
            Absence(Z, BetweenWindow(X, Y), alike("x", "y")),
            "a0 c1 b0",
            "no equality joins all",
            id="absent whatever the key",
        ),
        pytest.param(
            Either(
                (
                    Sliding(kind("b"), Measure(Aggregate.COUNT), ">=", 2, 9),
                    Join((X, Y), alike("x", "y")),
                )
            ),
            "b0 b1",
            "counts or compares",
            id="counted whatever the key",
        ),
        pytest.param(
            Triggered(Join((X, Y), (*alike("x", "y"), FOLLOWS)), Z, Waiting.FIRST_AFTER),
            "a0 b0 c1",
            "detection sends",
            id="sent whatever the key",
        ),
    ],
)
def test_what_no_key_parts(pattern: Part, line: str, why_not: str) -> None:
    """It says why; and parted all the same it would tell something else."""
    events = [event(told, number) for number, told in enumerate(line.split(), 1)]
    parting = partition_key_of(pattern)
    assert (parting.by, why_not in parting.why_not) == ((), True)
    assert partition_of([0], 2) != partition_of([1], 2)
    assert found_in_shares(pattern, (KEY,), 2, events) != found_in(Plan(pattern), events)


@pytest.mark.parametrize(
    ("language", "expression", "by"),
    [
        ("opsl", "=|($x;; 6s)($y;) WHERE $x;.v = $y;.v, $x; = A, $y; = B", ["v"]),
        ("opsl", "!($x;; 6s)$y; WHERE $x;.v = $y;.v, $x; = A, $y; = B", ["v"]),
        ("opsl", "=|($x;; 6s)($y;) WHERE $x;.v = $y;.w, $x; = A, $y; = B", []),
        ("opsl", "=|($x;; 6s)($y;) WHERE $x;.v < $y;.v, $x; = A, $y; = B", []),
        ("rule", "WHEN A THEN B WITHIN 5s FOR EACH v", ["v"]),
        ("rule", "WHEN A THEN B WITHIN 5s FOR EACH v, w.u", ["v", "w.u"]),
        ("rule", "WHEN A THEN NO B WITHIN 5s FOR EACH v", ["v"]),
        ("rule", "WHEN A THEN B x2+ WITHIN 9s THEN C FOR EACH v", ["v"]),
        ("rule", "WHEN COUNT(A) >= 2 OVER 4s FOR EACH v", ["v"]),
        ("rule", "WHEN C HOLDS v > 0 FOR 4s FOR EACH w", ["w"]),
        ("rule", "WHEN COUNT(A) >= 2 OVER 4s", []),
        ("rule", "WHEN A THEN B WITHIN 5s", []),
        ("concept", "ObjectEvent Before AggregationEvent correlate by one v", ["v"]),
        ("concept", "ObjectEvent & ObjectEvent correlate by w, one v", ["v"]),
        ("concept", "ObjectEvent & ObjectEvent correlate by one v, one w.id", ["v", "w.id"]),
        (
            "concept",
            "ObjectEvent Before not (ObjectEvent) (5 s anchored) correlate by one v",
            ["v"],
        ),
        ("concept", "ObjectEvent Before AggregationEvent correlate by v", []),
    ],
)
def test_what_is_said_in_languages(language: str, expression: str, by: list[str]) -> None:
    names = (f"selector{{ kind = '{letter}' }}" for letter in "abc")
    text = expression
    for letter, said in zip("ABC", names, strict=True):
        text = text.replace(f" {letter} ", f" {said} ").replace(f"({letter})", f"({said})")
        text = text.replace(f"= {letter},", f"= {said},")
        if text.endswith(f"= {letter}"):
            text = text.removesuffix(letter) + said
    pattern = compile_subscription(Subscription("s", language, text, horizon="1h")).pattern
    assert [".".join(path) for path in partition_key_of(pattern).by] == by


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("{a} Before {b} correlate by v", "a0,1 b1 b0"),
        ("{a} Before not ({b}) (PT0.000009S anchored) correlate by v", "a0,1 b1"),
    ],
)
def test_what_may_have_several_values_is_not_parted(text: str, lists: str) -> None:
    """The oldest of any value is used up, and one absence rings for all values that are missing."""
    names = {letter: f"exists kind.{{{letter}}}" for letter in "ab"}
    subscription = Subscription("s", "concept", text.format(**names), horizon="1h")
    pattern = compile_subscription(subscription).pattern
    assert partition_key_of(pattern).by == ()
    assert "one event may bind several values" in partition_key_of(pattern).why_not
    events = []
    for number, told in enumerate(lists.split(), 1):
        values = [int(each) for each in told[1:].split(",")]
        body = {"id": f"e{number}", "source": "s", "type": "t", "time": format_instant(number)}
        events.append(from_mapping(body | {"data": {"kind": told[0], "v": values}}))
    apart = [
        line
        for value in (0, 1)
        for line in found_in(Plan(pattern), [each for each in events if value in each.data["v"]])
    ]
    assert sorted(apart) != found_in(Plan(pattern), events)


@pytest.mark.parametrize("text", [each for each in CORRELATED if " | {b} correlate" not in each])
def test_one_value_is_correlated_as_any(text: str) -> None:
    """Where events that have one value or none are combined, `one` says nothing more."""
    texts = [text.replace("one ", ""), text]
    names = {letter: f"exists kind.{{{letter}}}" for letter in "ab"}
    any_value, one_value = (
        compile_subscription(Subscription("s", "concept", each.format(**names), horizon="1h"))
        for each in texts
    )

    @given(busy_timelines(st.sampled_from(["x", "y", "x", "y", None])))
    @settings(max_examples=max(5, settings.default.max_examples // 5))
    def say_the_same(events: list[Event]) -> None:
        assert found_in(one_value, events) == found_in(any_value, events)

    say_the_same()


def test_shares_are_those_of_equality() -> None:
    """What is equal is in one share, whatever carries it; what is not spreads."""
    shares = 10_007
    assert partition_of([1], shares) == partition_of([1.0], shares)
    assert partition_of([10**22], shares) == partition_of([1e22], shares)
    assert partition_of([None], shares) == partition_of([[1]], shares) == partition_of([{}], shares)
    apart = [1, "1", True, None, 1.5, "", "\ud800", float("inf"), 2**53, 2**53 + 1, -1, 0]
    assert len({partition_of([each], shares) for each in apart}) == len(apart)
    assert partition_of(["a", "b"], shares) != partition_of(["ab", ""], shares)
    counts = [0] * 4
    for number in range(4_000):
        counts[partition_of([f"truck {number}"], 4)] += 1
    assert min(counts) > 800


def test_explain_tells_the_key_or_why_there_is_none() -> None:
    keyed, used_up = (Join((X, Y), alike("x", "y"), each) for each in (Policy.RECENT, EXCLUSIVE))
    assert "partition key  v (runs on all shards)" in summary_lines(Plan(keyed))
    [told] = [line for line in summary_lines(Plan(used_up)) if line.startswith("partition key")]
    assert told.endswith("none: policy exclusive uses up what waits, whatever its key")
