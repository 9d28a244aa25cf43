"""Shapes: the same plan back whatever its constants, what has no constant in it once for all, and
nothing but plans.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parted_worlds import CORRELATED, parted_patterns
from tests.strategies import boolean_nodes
from tocsin.catalog import Subscription, compile_subscription
from tocsin.errors import Problem
from tocsin.knowledge.concepts.tbox import EMPTY
from tocsin.plan.nodes.atoms import AllOf, BooleanNode, Condition
from tocsin.plan.nodes.composites import Part, Plan, Policy
from tocsin.plan.wire.wire import (
    _reader_of,
    plan_from_json,
    plan_from_text,
    plan_to_json,
    plan_to_shape_text,
)


@given(boolean_nodes())
def test_a_plan_is_read_as_from_the_wire(node: BooleanNode) -> None:
    plan = Plan(Condition(node))
    found = plan_from_text(plan_to_shape_text(plan))
    assert found == plan_from_json(plan_to_json(plan)) == plan
    assert plan_to_json(found) == plan_to_json(plan), "1 is not 1.0 here"


@given(st.sampled_from(list(Policy)).flatmap(parted_patterns))
def test_composites_are_read_as_from_the_wire(part: Part) -> None:
    plan = Plan(part)
    assert plan_from_text(plan_to_shape_text(plan), [EMPTY]) == plan


def test_what_is_known_is_written_as_it_always_is() -> None:
    text = CORRELATED[0].format(a="exists kind.{a}", b="exists kind.{b}")
    plan = compile_subscription(Subscription("s", "concept", text, horizon="1h"))
    assert plan_to_shape_text(plan) == plan_to_json(plan)
    with pytest.raises(Problem, match="needs the knowledge"):
        plan_from_text(plan_to_shape_text(plan))


def test_plans_that_differ_in_constants_share_all_else() -> None:
    before = _reader_of.cache_info().misses
    plans = [
        plan_from_text(
            plan_to_shape_text(compile_subscription(Subscription("s", "selector", text)))
        )
        for text in (f"mass > {number} AND kind = 'k{number}'" for number in range(50))
    ]
    assert _reader_of.cache_info().misses - before <= 1
    conditions = [plan.pattern for plan in plans if isinstance(plan.pattern, Condition)]
    lasts = [
        each.expression.operands[1] for each in conditions if isinstance(each.expression, AllOf)
    ]
    assert len(lasts) == 50
    assert len({id(last.path) for last in lasts}) == 1  # type: ignore[union-attr]


def test_a_text_that_looks_like_a_hole_is_none() -> None:
    for name in ("hole", '{"hole":0}', '"knowledge":', "\\n[1]"):
        text = f"`{name}` = 'x' AND b = '{name}' AND c > 123456789012345678901234567890"
        plan = compile_subscription(Subscription("s", "selector", text))
        assert plan_from_text(plan_to_shape_text(plan)) == plan


@pytest.mark.parametrize(
    "values",
    ["[", "[1]", '[1, "x", 2]', "[[1], 2]", "[null, 2]", '[{"node": "Truth"}, 2]', "[] []"],
)
def test_values_that_do_not_fit_are_refused(values: str) -> None:
    plan = compile_subscription(Subscription("s", "selector", "a = 1 AND b = 2"))
    said, _, shape = plan_to_shape_text(plan).partition("\n")
    assert json.loads(said) == [1, 2]
    with pytest.raises((Problem, ValueError)):
        plan_from_text(f"{values}\n{shape}")
