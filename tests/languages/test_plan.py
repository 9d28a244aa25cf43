"""The language of plans: what servers send each other comes back, and nothing else passes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from tests.strategies import boolean_nodes
from tocsin.catalog import Subscription, compile_subscription, problems_of
from tocsin.errors import Problem
from tocsin.languages import parse_subscription
from tocsin.plan.nodes.atoms import BooleanNode, Condition
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_to_json


@settings(max_examples=50)
@given(boolean_nodes())
def test_condition_is_read_back(node: BooleanNode) -> None:
    plan = Plan(Condition(node))
    assert parse_subscription("plan", plan_to_json(plan), {"paths": [["a"]]}) == plan


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("selector", "price < 400 AND kind IN ('a', 'b') AND name LIKE 'x%'"),
        ("epcis", '{"EQ_bizStep": ["shipping"], "GE_eventTime": "2026-01-01T00:00:00Z"}'),
        ("concept", "exists bizStep.{shipping}"),
        ("graph", "ASK { _:H <urn:x:p> ?1 }"),
        ("exmlql", "WHERE <order><id>$i</></>"),
        ("opsl", "ARITH: a = 1"),
    ],
)
def test_atom_of_each_language_is_read_back(language: str, text: str) -> None:
    pattern = compile_subscription(Subscription("s", language, text)).pattern
    again = compile_subscription(Subscription("s", "plan", plan_to_json(Plan(pattern))))
    assert again.pattern == pattern


def _plan(node: object) -> str:
    return json.dumps({"tocsin-plan": 1, "plan": {"node": "Plan", "pattern": node}})


CONSTANT = {"node": "Constant", "kind": {"node": "Kind", "name": "NUMBER"}, "value": 1}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"tocsin-plan": 2}',
        _plan(None),
        _plan({"node": "Condition", "expression": 5}),
        _plan({"node": "Condition", "expression": {"node": "IsNull", "path": "abc"}}),
        _plan({"node": "Condition", "expression": {"node": "IsNull", "path": [1]}}),
        _plan({"node": "Condition", "expression": {"node": "IsNull", "path": {"set": []}}}),
        _plan({"node": "Condition", "expression": {"node": "Equals", "path": ["a"], "value": 1}}),
        _plan(
            {
                "node": "Condition",
                "expression": {
                    "node": "Ordered",
                    "path": ["a"],
                    "relation": "~",
                    "limit": CONSTANT,
                },
            }
        ),
        _plan({"node": "Condition", "expression": {"node": "AllOf", "operands": [1]}}),
        _plan({"node": "Condition", "expression": {"node": "Plan", "pattern": None}}),
        _plan({"node": "Either", "parts": []}),
        _plan({"node": "Condition", "expression": {"set": [[{"set": 5}]]}}),
        _plan({"node": "Nothing"}),
        _plan({"node": {}}),
    ],
)
def test_anything_else_is_a_problem(text: str) -> None:
    (problem, *_) = problems_of(Subscription("s", "plan", text))
    assert problem.hint
    with pytest.raises(Problem):
        compile_subscription(Subscription("s", "plan", text))


def test_unknown_option() -> None:
    plan = compile_subscription(Subscription("s", "selector", "a = 1"))
    text = plan_to_json(plan)
    assert not problems_of(Subscription("s", "plan", text, options={"paths": []}))
    (problem,) = problems_of(Subscription("s", "plan", text, options={"other": 1}))
    assert problem.code == "OptionError"
