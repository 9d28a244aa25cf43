"""What is long or deep works everywhere, or is refused by a limit with its place and a way out: it
never ends in the recursion limit of Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeVar

import pytest

import tocsin
from tests.builders import event_json
from tests.fuzz.deep_texts import KINDS, NAMED, subscription
from tocsin.catalog import (
    Compiled,
    Definition,
    Subscription,
    compile_subscription,
    read_subscription,
    with_plan,
)
from tocsin.errors import LimitProblem, Problem
from tocsin.explain.why import plan_tree
from tocsin.explain.why_not import WhyNotQuery, why_not
from tocsin.knowledge.concepts.tbox import EMPTY
from tocsin.languages import without_ontology
from tocsin.plan.explain.plan import html
from tocsin.plan.nodes.atoms import Condition, IsNull, Not
from tocsin.plan.nodes.composites import Join, Plan
from tocsin.plan.semantics import extent
from tocsin.plan.wire.wire import plan_from_json, plan_from_text, plan_to_json, plan_to_shape_text
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.service.federation.covering import covers
from tocsin.service.federation.interests import alternatives, find_atoms
from tocsin.service.subscriptions.dry_run import describe_plan

FRAMES_OF_A_HOST = 200
"""The stack that a host may stand on before it asks for anything."""

Answer = TypeVar("Answer")


def on_a_stack(of: int, ask: Callable[[], Answer]) -> Answer:
    return ask() if of == 0 else on_a_stack(of - 1, ask)


def event(number: int, kind: str) -> dict[str, Any]:
    data = {"a": 1, "b": 2, "v": 1, "x": 1, "kind": kind}
    return event_json(f"e{number}", kind, number, data=data)


EVENTS = [
    event(0, "a"),
    event(1, "b"),
    {
        **event(2, "x"),
        "datacontenttype": "application/xml",
        "data": "<a><b>1</b><a><b>1</b></a></a>",
    },
]


def compiled(given: Subscription, definitions: list[Definition] | None = None) -> Compiled:
    """Return the reading; where it is refused the problem has a message and a place."""
    found = on_a_stack(FRAMES_OF_A_HOST, lambda: read_subscription(given, definitions or ()))
    for problem in found.problems:
        assert problem.message
        if isinstance(problem, LimitProblem):
            assert problem.place is not None
            assert problem.hint
    return found


def is_told(plan: Plan) -> None:
    describe_plan(plan)
    html(plan)
    repr(plan)


def is_written_and_read(plan: Plan) -> None:
    known = (EMPTY, without_ontology())
    assert plan_from_json(plan_to_json(plan), known) == plan
    assert plan_from_text(plan_to_shape_text(plan), known) == plan


def is_covered_by_itself(plan: Plan) -> None:
    for atom in find_atoms(plan):
        for each in alternatives(atom):
            covers(each, each)


def is_served(given: Subscription) -> None:
    with tocsin.Hub(lateness="0s") as hub:
        hub.subscribe("ce_id <> ''", id="canary")
        hub.subscribe(
            given.expression, id="deep", language=given.language, options=dict(given.options)
        )
        heard = {
            match.events[0]
            for each in EVENTS
            for match in hub.publish(each)
            if match.subscription == "canary"
        }
        hub.advance_to("2026-01-01T01:00:00Z")
        assert heard >= {each["id"] for each in EVENTS}
        assert "InternalError" not in {letter.code for letter in hub.dead_letters}


def is_matched_in_files(plan: Plan) -> None:
    given = read_events([json.dumps(each).encode() for each in EVENTS])
    match_events({"deep": plan}, given)
    assert "InternalError" not in {letter.code for letter in given.dead_letters}


def is_explained(plan: Plan) -> None:
    events = list(read_events([json.dumps(each).encode() for each in EVENTS[:1]]).events)
    plan_tree(plan.pattern, events)
    why_not(plan.pattern, WhyNotQuery(events[0], events))


def uses(given: Subscription, found: Compiled) -> Iterator[Callable[[], object]]:
    plan = found.require_plan()
    yield lambda: found.warnings
    yield lambda: is_told(plan)
    yield lambda: is_written_and_read(plan)
    yield lambda: compile_subscription(with_plan(given))
    yield lambda: is_covered_by_itself(plan)
    yield lambda: is_served(given)
    yield lambda: is_matched_in_files(plan)
    yield lambda: is_explained(plan)


def sizes(kind: tuple[str, str]) -> list[int]:
    chance = Random(" ".join(kind))
    return [chance.randrange(30, 65), chance.randrange(65, 300)]


@pytest.mark.parametrize("kind", [each for each in KINDS if each[0] != "amqp"], ids=" ".join)
def test_what_is_accepted_works_everywhere(kind: tuple[str, str]) -> None:
    for size in sizes(kind):
        given = subscription(kind, size)
        found = compiled(given)
        if found.plan is not None:
            for use in uses(given, found):
                on_a_stack(FRAMES_OF_A_HOST, use)


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_what_is_huge_is_refused_or_read(kind: tuple[str, str]) -> None:
    chance = Random(" ".join(kind))
    compiled(subscription(kind, chance.choice((700, 5_000, 20_000))))


@pytest.mark.parametrize("kind", NAMED)
def test_names_that_are_defined_by_each_other(kind: str) -> None:
    language, text, made = NAMED[kind]
    chance, given = Random(kind), Subscription("deep", language, text)
    for size in (3, chance.randrange(4, 32), chance.randrange(32, 100), 1_000):
        found = compiled(given, made(size))
        if found.plan is not None:
            is_told(found.plan)
            is_written_and_read(found.plan)
        else:
            assert isinstance(found.problems[0], LimitProblem)
    assert compiled(given, made(1)).plan is not None


def test_three_hundred_parts_of_and_are_refused_at_the_part_that_is_too_many() -> None:
    def rule(parts: int) -> Compiled:
        return compiled(Subscription("r", "rule", "WHEN " + " AND ".join(["a"] * parts)))

    assert rule(101).plan is not None
    (problem,) = rule(300).problems
    assert problem.code == "RuleLimitError"
    assert problem.place is not None
    assert problem.place.column == 6 + 6 * 101


def test_keys_are_refused_before_parts_are_asked_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of 32,000 steps took 42 s, and 2,500 keys 8 s."""

    def asks(_: object) -> bool:
        raise AssertionError("the limit comes first")

    monkeypatch.setattr("tocsin.languages.rule.static_checks.never_holds", asks)
    for keys in ("k" + ".k" * 32_000, ", ".join(f"k{each}" for each in range(2_500))):
        text = f"WHEN a(v > 1) THEN b(v > 1) FOR EACH {keys}"
        (problem,) = compiled(Subscription("r", "rule", text)).problems
        assert isinstance(problem, LimitProblem)


def test_what_is_wrong_is_told_up_to_a_limit() -> None:
    """600 KB of parameters that are not known took 20 s."""
    given = subscription(("epcis", "unknown parameters"), 20_000)
    assert len(compiled(given).problems) == 100


def nested_plan(levels: int) -> str:
    text = plan_to_json(Plan(Condition(IsNull(("a",)))))
    shell = '{"node":"Not","operand":'
    start = text.index('{"node":"IsNull"')
    end = text.index("}", start) + 1
    return text[:start] + shell * levels + text[start:end] + "}" * levels + text[end:]


@pytest.mark.parametrize("levels", [299, 2_000, 200_000])
def test_the_wire_form_is_refused_before_it_is_read(levels: int) -> None:
    with pytest.raises(LimitProblem) as caught:
        plan_from_json(nested_plan(levels))
    assert caught.value.code == "PlanLimitError"
    with pytest.raises(Problem):
        plan_from_text("[1]\n" + nested_plan(levels))


def test_the_deepest_plan_is_read_on_the_stack_of_a_host() -> None:
    levels = extent.MAX_LEVELS - 5
    plan = on_a_stack(FRAMES_OF_A_HOST, lambda: plan_from_json(nested_plan(levels)))
    found = plan.pattern
    assert isinstance(found, Condition)
    inner, count = found.expression, 0
    while isinstance(inner, Not):
        inner, count = inner.operand, count + 1
    assert count == levels


def test_parts_are_counted_as_often_as_they_are_used() -> None:
    part: Any = Condition(IsNull(("a",)))
    for _ in range(5):
        part = Join((part, part))
    assert extent.count_parts(part) == 63
    for _ in range(30):
        part = Join((part, part))
    with pytest.raises(LimitProblem):
        extent.count_parts(part)
