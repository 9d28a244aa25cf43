"""Workloads are what the specification and the benchmark page say they are, and the same for the
same seed.
"""

from __future__ import annotations

from itertools import islice

import pytest
from tocsin_benchmarks.selectors.baselines.counting import CountingMatcher
from tocsin_benchmarks.selectors.workloads import PaperWorkload, ScaleWorkload, Shape, Workload
from tocsin_benchmarks.selectors.workloads.population import PUBLISHERS, json_lines
from tocsin_benchmarks.selectors.workloads.scale import MATCH_RATE

from tocsin.events.codecs.base.cloudevents import decode
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Equals,
    Like,
    Not,
    OneOf,
    Ordered,
    Predicate,
    predicates_of,
)

SCALES = [
    ScaleWorkload(shape, 1000, attributes, seed=2009) for shape in Shape for attributes in (10, 20)
]
PAPER = PaperWorkload(2000, 10, seed=2009)


@pytest.mark.parametrize("workload", [PAPER, *SCALES], ids=str)
def test_a_seed_gives_one_workload(workload: Workload) -> None:
    assert list(islice(workload.selectors(), 50)) == list(islice(workload.selectors(), 50))
    assert [one.data for one in workload.events(50)] == [one.data for one in workload.events(60)][
        :50
    ]


def test_another_seed_gives_another_workload() -> None:
    assert list(PaperWorkload(10, 10, seed=1).selectors()) != list(
        PaperWorkload(10, 10, seed=2).selectors()
    )


@pytest.mark.parametrize("attributes", [5, 10, 15, 20])
def test_events_have_all_attributes_half_of_them_numbers(attributes: int) -> None:
    for event in PaperWorkload(1, attributes, seed=1).events(20):
        numbers = [value for value in event.attributes.values() if isinstance(value, int)]
        words = [value for value in event.attributes.values() if isinstance(value, str)]
        assert len(event.attributes) == attributes
        assert len(numbers) == (attributes + 1) // 2
        assert len(words) == attributes // 2
        assert all(0 <= number <= 999 for number in numbers)


def test_fifty_publishers_send_in_turn() -> None:
    sources = [event.source for event in PAPER.events(2 * PUBLISHERS)]
    assert len(set(sources)) == PUBLISHERS
    assert sources[:PUBLISHERS] == sources[PUBLISHERS:]


def test_json_lines_are_the_same_events() -> None:
    events = PAPER.events(5)
    again = [decode(line) for line in json_lines(events)]
    assert [(one.identity, one.interval, one.data) for one in again] == [
        (one.identity, one.interval, one.data) for one in events
    ]


@pytest.mark.parametrize("attributes", [5, 10, 15, 20])
def test_the_papers_selectors_have_half_as_many_literals_as_events_have_attributes(
    attributes: int,
) -> None:
    for selector in PaperWorkload(50, attributes, seed=1).selectors():
        assert len(list(predicates_of(selector))) == max(2, attributes // 2)


def test_the_papers_predicates_come_from_a_pool_in_the_stated_mix() -> None:
    used = [predicate for selector in PAPER.selectors() for predicate in predicates_of(selector)]
    assert len(set(used)) <= 2 * PAPER.subscriptions
    assert _share(used, Equals) == pytest.approx(0.5, abs=0.03)
    assert _share(used, Ordered) == pytest.approx(0.3, abs=0.03)
    assert _share(used, Like, OneOf, Between) == pytest.approx(0.2, abs=0.03)


def test_the_papers_connectors_and_negations_are_in_the_stated_mix() -> None:
    selectors = list(PAPER.selectors())
    literals = [literal for selector in selectors for literal in _literals(selector)]
    alternatives = sum(len(one.operands) if isinstance(one, AnyOf) else 1 for one in selectors)
    ors, connectors = alternatives - len(selectors), len(literals) - len(selectors)
    assert ors / connectors == pytest.approx(0.4, abs=0.03)
    assert sum(isinstance(one, Not) for one in literals) / len(literals) == pytest.approx(
        0.1, abs=0.02
    )


@pytest.mark.parametrize("workload", SCALES, ids=str)
def test_scale_selectors_have_three_to_six_predicates_of_all_kinds(workload: ScaleWorkload) -> None:
    kinds, relations = set(), set()
    for selector in workload.selectors():
        predicates = list(predicates_of(selector))
        kinds.update(map(type, predicates))
        relations.update(one.relation for one in predicates if isinstance(one, Ordered))
        assert len({one.path for one in predicates}) == len(predicates), (
            "each about an attribute of its own"
        )
        assert 3 <= len(predicates) <= 6
    assert kinds == {Equals, Ordered, Between, Like, OneOf}
    assert relations == {"<", "<=", ">", ">="}


@pytest.mark.parametrize("workload", SCALES, ids=str)
def test_the_share_of_matches_lies_in_its_bounds(workload: ScaleWorkload) -> None:
    matcher, events = CountingMatcher(), workload.events(300)
    for number, selector in enumerate(workload.selectors()):
        matcher.add(number, selector)
    matcher.prepare()
    rate = len(matcher.match(events).events) / len(events) / workload.subscriptions
    assert MATCH_RATE[0] <= rate <= MATCH_RATE[1]


def test_shapes_are_what_they_are_called() -> None:
    by_shape = {one.shape: list(one.selectors()) for one in SCALES}
    plain = by_shape[Shape.AND] + by_shape[Shape.EQUALITY]
    assert all(
        isinstance(one, AllOf) and not _has(one, AnyOf) and not _has(one, Not) for one in plain
    )
    assert all(
        any(isinstance(p, Equals) for p in predicates_of(one)) for one in by_shape[Shape.EQUALITY]
    )
    assert all(_has(one, AnyOf) for one in by_shape[Shape.TREE])
    assert any(_has(one, Not) for one in by_shape[Shape.TREE])


def test_a_small_scale_workload_is_the_beginning_of_a_large_one() -> None:
    small, large = (ScaleWorkload(Shape.TREE, size, 10, seed=1) for size in (20, 100))
    assert list(small.selectors()) == list(large.selectors())[:20]


def _share(predicates: list[Predicate], *kinds: type) -> float:
    return sum(isinstance(one, kinds) for one in predicates) / len(predicates)


def _literals(node: BooleanNode) -> list[BooleanNode]:
    return (
        [one for part in node.operands for one in _literals(part)]
        if isinstance(node, AllOf | AnyOf)
        else [node]
    )


def _has(node: BooleanNode, kind: type) -> bool:
    if isinstance(node, kind):
        return True
    inner = (
        node.operands
        if isinstance(node, AllOf | AnyOf)
        else (node.operand,)
        if isinstance(node, Not)
        else ()
    )
    return any(_has(part, kind) for part in inner)
