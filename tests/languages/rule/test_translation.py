"""Subscriptions of other languages as rules: a rule that is given rings for the same events."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.rule.test_meaning import DEFINITIONS, EVENTS, rung
from tests.scenarios.loading import Scenario, scenarios, shown
from tocsin.catalog import Subscription, Surroundings, compile_subscription
from tocsin.errors import UnsupportedProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.languages.to_rule import as_rule
from tocsin.plan.nodes.composites import Forward, Policy
from tocsin.reference import matches

CONTEXT = Surroundings.of(DEFINITIONS).context
A, B, C = (f"selector{{ kind = '{letter}' }}" for letter in "abc")
BOUND = ", $a; = A, $b; = B"
SAID = [
    ("selector", "price < 400", "WHEN selector{ price < 400 }"),
    ("selector", "ce_type = 'offer' AND price < 400", "WHEN offer(price < 400)"),
    ("selector", "ce_type = 'offer'", "WHEN offer"),
    ("opsl", "=|(A;60s)B", f"WHEN {A} THEN {B} WITHIN 1m"),
    ("opsl", "!(A;2h)B", f"WHEN {A} THEN NO {B} WITHIN 2h"),
    (
        "opsl",
        "!(STRING: kind = 'a'; 2h)ARITH: v = 1, STRING: kind = 'b'",
        f"WHEN {A} THEN NO selector{{ v = 1 AND kind = 'b' }} WITHIN 2h",
    ),
    ("opsl", "!(A;C)B", f"WHEN {A} THEN NO {B} THEN {C}"),
    ("opsl", "|=(A;B)C", f"WHEN {A} THEN {B} THEN {C}"),
    ("opsl", "=|(A;B)C", f"WHEN {A} THEN {C} THEN {B}"),
    ("opsl", "=|(=|(A;5)B;5)C", f"WHEN {A} THEN {B} WITHIN 5ms THEN {C} WITHIN 5ms"),
    ("opsl", "A || B && C", f"WHEN {A} OR {B} AND {C}"),
    (
        "opsl",
        f"=|($a;;5)$b; WHERE $a;.k = $b;.k{BOUND}",
        f"WHEN a: {A} THEN b: {B} WITHIN 5ms\n  WHERE a.k = b.k",
    ),
    (
        "opsl",
        "DIST(A;<;2)B",
        f"WHEN part1: {A} AND part2: {B}\n  WHERE DISTANCE(part2, part1) < 2.0",
    ),
    (
        "opsl",
        "|=(2024-01-01T00:00:00Z;0)A",
        "WHEN selector{ (kind = 'a') AND ce_time > '2024-01-01T00:00:00Z' }",
    ),
    ("concept", f"{A} Before {B}", f"WHEN {A} BEFORE {B}\n  POLICY chronicle"),
    ("concept", f"{A} UnDuring {B}", f"WHEN {A} NOT DURING {B}\n  POLICY chronicle"),
    (
        "concept",
        f"{A} Before not ({B}) (PT1H anchored)",
        f"WHEN {A} THEN NO {B} WITHIN 1h\n  POLICY chronicle",
    ),
    (
        "exmlql",
        "WHERE <a>$x</> CONSTRUCT <b>$x</>",
        "-- it rings for the same events; what is sent or built is not said\n"
        "WHEN xml{ WHERE <a>$x</> }",
    ),
    ("rule", "when A then  B within 60s", f"WHEN {A} THEN {B} WITHIN 1m"),
]
UNSAID = [
    ("opsl", "|(A)B", "order in time"),
    ("opsl", "@(POLYGON((0 0, 1 0, 1 1)))A", "ENTERS"),
    ("opsl", "|=(A;5)B", "order in time"),
    ("opsl", "!(2024-01-01T00:00:00Z;60s)A", "the clock"),
    ("opsl", "SPL(A)B", "same place"),
    ("opsl", f"$a; && DIST($a;;<;5)$b;{BOUND}", "second part"),
    ("opsl", f"$a; && $b; WHERE $a;.l[*] = $b;.l[*]{BOUND}", "element by element"),
    ("concept", f"not ({A}) (PT1H)", "the clock"),
    ("concept", f"not ({A}) (PT1H anchored) Before {B}", "began before the window"),
]


@pytest.mark.parametrize(("language", "expression", "text"), SAID)
def test_what_a_rule_can_say(language: str, expression: str, text: str) -> None:
    assert as_rule(language, expression, {}, CONTEXT) == text


@pytest.mark.parametrize(("language", "expression", "why"), UNSAID)
def test_what_a_rule_cannot_say_is_told_with_the_part(
    language: str, expression: str, why: str
) -> None:
    with pytest.raises(UnsupportedProblem) as told:
        as_rule(language, expression, {}, CONTEXT)
    assert "cannot say this part: " in told.value.message
    assert why in told.value.hint


@pytest.mark.parametrize(
    ("language", "expression"),
    [(each[0], each[1]) for each in SAID if each[0] in ("opsl", "concept")],
)
@settings(max_examples=15, deadline=None)
@given(events=EVENTS, policy=st.sampled_from([None, *Policy]))
def test_the_rule_rings_for_the_same_events(
    language: str, expression: str, events: list[dict[str, object]], policy: Policy | None
) -> None:
    name = None if policy is None else policy.value
    given = compile_subscription(Subscription("s", language, expression, policy=name), DEFINITIONS)
    try:
        text = as_rule(language, expression, {}, CONTEXT, name)
    except UnsupportedProblem:
        return  # three parts at once are said under some policies only
    said = compile_subscription(Subscription("s", "rule", text), DEFINITIONS)
    assert rung(said, events) == rung(given, events)


def _said(file: str) -> list[tuple[Scenario, str]]:
    found = []
    for scenario in scenarios(file):
        context = Surroundings.of(scenario.definitions).context
        one = scenario.subscription
        try:
            text = as_rule(
                one.language, one.expression, one.options, context, one.policy, one.horizon
            )
        except UnsupportedProblem:
            continue
        found.append((scenario, text))
    return found


@pytest.mark.parametrize("file", ["opsl.toml", "concept.toml", "exmlql.toml", "graph.toml"])
def test_scenarios_of_other_languages_hold_as_rules(file: str) -> None:
    told = _said(file)
    assert told
    for scenario, text in told:
        options = {"crs": "wgs84"} if "crs: wgs84" in text else {}
        plan = compile_subscription(
            Subscription("s", "rule", text, options=options), scenario.definitions
        )
        events = [from_mapping(json.loads(json.dumps(event))) for event in scenario.events]
        meant = compile_subscription(scenario.subscription, scenario.definitions)
        found = [shown(match) for match in matches("s", plan, events)]
        silent = replace(meant, output=Forward())  # what cannot be built is told elsewhere
        expected = [shown(match) for match in matches("s", silent, events)]
        assert found == expected, (scenario.name, text)
