"""State is bounded or refused, and what a subscription sets reaches every operator."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.timelines import kind, patterns
from tocsin.catalog import Subscription, compile_subscription, problems_of
from tocsin.errors import Problem
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Join,
    Part,
    Plan,
    Policy,
)
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.semantics.bounds import bounds_of, with_horizon

A, B = kind("a"), kind("b")
HOUR = 3_600_000_000


def subscription(expression: str, **settings: str) -> Subscription:
    atoms = "selector{ kind = 'a' }", "selector{ kind = 'b' }"
    return Subscription(
        "s", "opsl", expression.replace("A", atoms[0]).replace("B", atoms[1]), **settings
    )


@pytest.mark.parametrize(
    ("expression", "lifetimes"),
    [
        ("=|(A;60s)B", [60_000_000, 0]),
        ("|=(A;60s)B", [24 * HOUR, 0]),
        ("A && B", [24 * HOUR, 24 * HOUR]),
        ("|(A)B", [24 * HOUR, 24 * HOUR]),
        ("!(A;10s)B", [10_000_000]),
    ],
)
def test_every_place_where_something_waits_has_a_bound(
    expression: str, lifetimes: list[int]
) -> None:
    plan = compile_subscription(subscription(expression))
    assert [bound.lifetime for bound in bounds_of(plan.pattern)] == lifetimes


def test_the_horizon_bounds_what_has_no_bound_of_its_own() -> None:
    plan = compile_subscription(subscription("A && B", horizon="1h"))
    assert {bound.lifetime for bound in bounds_of(plan.pattern)} == {HOUR}
    windowed = compile_subscription(subscription("=|(A;60s)B", horizon="off"))
    assert None not in {bound.lifetime for bound in bounds_of(windowed.pattern)}


def test_state_without_a_bound_is_refused_where_the_horizon_is_off() -> None:
    unbounded = subscription("A && B", horizon="off")
    with pytest.raises(Problem, match="UnboundedState"):
        compile_subscription(unbounded)
    assert [problem.code for problem in problems_of(unbounded)] == ["UnboundedState"]
    with pytest.raises(Problem, match="UnboundedState"):
        with_horizon(Plan(Absence(A, BetweenWindow(A, B))), None)


@given(patterns(Policy.DEFERRED))
def test_with_a_horizon_everything_is_bounded(pattern: Part) -> None:
    bounded = with_horizon(Plan(pattern), HOUR).pattern
    assert all(bound.lifetime is not None for bound in bounds_of(bounded))


def test_the_policy_reaches_every_operator() -> None:
    plan = Plan(Join((Join((A, B)), Absence(B, AfterWindow(A, 5)))))
    changed = with_settings(plan, Policy.RECENT, HOUR).pattern
    assert isinstance(changed, Join)
    assert {changed.policy, *(part.policy for part in changed.parts)} == {Policy.RECENT}  # type: ignore[union-attr]
    assert (
        compile_subscription(subscription("A && B", policy="chronicle")).pattern.policy
        is Policy.CHRONICLE
    )  # type: ignore[union-attr]
