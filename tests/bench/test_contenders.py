"""Every matcher of the benchmark finds what the reference finds; work is counted, never timed."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from tocsin_benchmarks.selectors.baselines import Contender, Work
from tocsin_benchmarks.selectors.baselines.conjuncts import conjuncts_of
from tocsin_benchmarks.selectors.baselines.matching_tree import MatchingTree
from tocsin_benchmarks.selectors.baselines.shared_bdd import SharedBdd
from tocsin_benchmarks.selectors.contenders import CONTENDERS, Name, distinct_predicates
from tocsin_benchmarks.selectors.workloads import PaperWorkload, ScaleWorkload, Shape, Workload

from tests.builders import build_unread_event
from tocsin.errors import LimitProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    BooleanNode,
    Condition,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
)
from tocsin.reference import holds
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant

WORKLOADS = [
    *(PaperWorkload(60, attributes, seed=3) for attributes in (5, 10, 15, 20)),
    *(ScaleWorkload(shape, 150, attributes, seed=3) for shape in Shape for attributes in (10, 20)),
]
EVENTS = 25
COUNTED = [PaperWorkload(200, attributes, seed=3) for attributes in (5, 10, 20)]


@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
@pytest.mark.parametrize("name", list(Name))
def test_all_find_the_matches_of_the_reference(name: Name, workload: Workload) -> None:
    selectors, events = list(workload.selectors()), workload.events(EVENTS)
    expected = _reference_of(workload)
    found = _filled(name, selectors).match(events)
    assert found.pairs() == expected
    assert len(found.events) == len(expected), "a match is found once"


@pytest.mark.parametrize("name", list(Name))
def test_unknown_is_neither_true_nor_false(name: Name) -> None:
    selectors = _selectors_about_the_missing()
    events = [_event({"n": 5, "s": "abc"}), _event({"n": 5}), _event({"s": "xyz"}), _event({})]
    assert _filled(name, selectors).match(events).pairs() == _reference(selectors, events)


@pytest.mark.parametrize("name", [one for one in Name if one is not Name.COLUMNS])
def test_a_value_of_another_kind_is_unknown(name: Name) -> None:
    selectors = _selectors_about_the_missing()
    events = [
        _event({"n": "5", "s": 7}),
        _event({"n": True, "s": None}),
        _event({"n": 5.0, "s": ["abc"]}),
    ]
    assert _filled(name, selectors).match(events).pairs() == _reference(selectors, events)


@pytest.mark.parametrize("workload", COUNTED, ids=str)
@pytest.mark.parametrize("name", [Name.PAPER, Name.SCAN, Name.BDD])
def test_the_papers_algorithm_evaluates_each_distinct_predicate_at_most_once(
    name: Name, workload: Workload
) -> None:
    selectors, events = list(workload.selectors()), workload.events(20)
    theirs = _work(_filled(name, selectors), events)
    assert 0 < theirs.evaluations <= len(distinct_predicates(selectors)) * len(events)
    assert theirs.evaluations <= _work(_filled(Name.NAIVE, selectors), events).evaluations


def test_the_papers_algorithm_and_the_scan_evaluate_the_same_predicates() -> None:
    selectors, events = list(COUNTED[1].selectors()), COUNTED[1].events(20)
    evaluations = {
        _work(_filled(name, selectors), events).evaluations for name in (Name.PAPER, Name.SCAN)
    }
    assert len(evaluations) == 1


def test_a_shared_predicate_is_evaluated_once() -> None:
    selectors: list[BooleanNode] = [_less(5)] * 50
    events = [_event({"n": 3})]
    assert _work(_filled(Name.PAPER, selectors), events) == Work(evaluations=1, visits=50)
    assert _work(_filled(Name.NAIVE, selectors), events) == Work(evaluations=50, visits=50)


@pytest.mark.parametrize("workload", COUNTED, ids=str)
def test_plain_counting_evaluates_every_distinct_predicate_and_the_papers_algorithm_no_more(
    workload: Workload,
) -> None:
    selectors, events = list(workload.selectors()), workload.events(20)
    counted = _work(_filled(Name.PLAIN_COUNTING, selectors), events).evaluations
    literals = {
        literal
        for selector in selectors
        for conjunct in conjuncts_of(selector)
        for literal in conjunct
    }
    assert counted == len({literal.predicate for literal in literals}) * len(events)
    assert _work(_filled(Name.PAPER, selectors), events).evaluations <= counted


def test_equal_parts_of_diagrams_are_asked_once() -> None:
    shared = AllOf((_less(9), _less(8)))
    selectors: list[BooleanNode] = [
        AllOf((_less(10), *shared.operands)),
        shared,
        AllOf((_less(8), _less(9))),
    ]
    work = _work(_filled(Name.BDD, selectors), [_event({"n": 3})])
    assert work == Work(evaluations=3, visits=3)


def test_a_diagram_that_grows_too_large_is_refused() -> None:
    diagram = SharedBdd(max_nodes=3)
    diagram.add(0, _less(0))
    diagram.add(1, _less(1))
    with pytest.raises(LimitProblem, match="more than 3 nodes"):
        diagram.add(2, _less(2))


def test_naive_stops_where_the_outcome_is_settled() -> None:
    selectors: list[BooleanNode] = [AllOf((_less(1), _less(2))), AnyOf((_less(9), _less(2)))]
    assert _work(_filled(Name.NAIVE, selectors), [_event({"n": 3})]).evaluations == 2


def test_a_tree_that_grows_too_large_is_refused() -> None:
    tree = MatchingTree(max_nodes=3)
    for number in range(5):
        tree.add(number, Equals(("n",), Constant.of(number)))
    with pytest.raises(LimitProblem, match="more than 3 nodes"):
        tree.prepare()


def test_alternatives_are_the_conjunctions_that_make_a_selector_true() -> None:
    alternatives = conjuncts_of(AllOf((AnyOf((_less(1), _less(2))), Not(_less(3)))))
    assert [len(one) for one in alternatives] == [2, 2]
    assert {one.predicate for each in alternatives for one in each} == {
        _less(1),
        _less(2),
        Ordered(("n",), ">=", Constant.of(3)),
    }


def test_too_many_alternatives_are_refused() -> None:
    choices = tuple(AnyOf((_less(2 * number), _less(2 * number + 1))) for number in range(13))
    with pytest.raises(LimitProblem, match="alternatives"):
        conjuncts_of(AllOf(choices))


@pytest.mark.parametrize(
    "name", [Name.NAIVE, Name.COUNTING, Name.TREE, Name.PAPER, Name.PLAIN_COUNTING, Name.BDD]
)
def test_what_a_baseline_has_no_rule_for_is_refused(name: Name) -> None:
    with pytest.raises(Exception, match="no rule"):
        CONTENDERS[name]().add(0, IsNull(("n",)))


def _selectors_about_the_missing() -> list[BooleanNode]:
    prefix = Like(("s",), LikePattern.of(("ab", Wild.ANY_RUN)))
    among = OneOf(("n",), frozenset((Constant.of(4), Constant.of(5))))
    equal = Equals(("s",), Constant.of("abc"))
    literals: list[BooleanNode] = [_less(6), prefix, among, equal]
    return [
        *literals,
        *map(Not, literals),
        AnyOf((_less(1), Not(prefix))),
        Not(AllOf((among, equal))),
    ]


def _less(limit: int) -> Ordered:
    return Ordered(("n",), "<", Constant.of(limit))


def _event(data: dict[str, Any]) -> Event:
    return build_unread_event(data, source="/test", type="test")


def _filled(name: Name, selectors: list[BooleanNode]) -> Contender:
    contender = CONTENDERS[name]()
    for number, selector in enumerate(selectors):
        contender.add(number, selector)
    contender.prepare()
    return contender


def _work(contender: Contender, events: list[Event]) -> Work:
    work = contender.work(events)
    assert work is not None
    return work


@cache
def _reference_of(workload: Workload) -> set[tuple[int, int]]:
    return _reference(list(workload.selectors()), workload.events(EVENTS))


def _reference(selectors: list[BooleanNode], events: list[Event]) -> set[tuple[int, int]]:
    conditions = [Condition(selector) for selector in selectors]
    return {
        (place, number)
        for place, event in enumerate(events)
        for number, condition in enumerate(conditions)
        if holds(condition, event)
    }
