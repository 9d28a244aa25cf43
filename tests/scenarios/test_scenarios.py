"""Every scenario on every host."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

import tocsin
from tests.scenarios.loading import Scenario, scenarios, shown
from tests.timelines import has_clock
from tocsin.catalog import compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.dead_letter import DeadLetter
from tocsin.reference import matches
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.values.time import format_duration, format_instant, parse_instant

FILES = ("selector.toml", "opsl.toml", "graph.toml", "concept.toml", "exmlql.toml", "rule.toml")
LATENESS = 600_000_000
SCENARIOS = [scenario for file in FILES for scenario in scenarios(file)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_reference(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    found = matches("s", plan, [from_mapping(event) for event in scenario.events])
    assert [shown(match) for match in found] == list(scenario.expected)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_local(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    given = read_events([json.dumps(event).encode() for event in scenario.events])
    found = match_events({"s": plan}, given)
    assert [shown(match) for match in found] == list(scenario.expected)
    assert told_over(given.dead_letters) == scenario.facts.get("over", False)


def told_over(letters: Iterable[DeadLetter]) -> bool:
    """Whether the subscription is told to have a window that was over."""
    return [letter.input for letter in letters if letter.code == "WindowInPast"] == ["s"]


def end_of(scenario: Scenario) -> str:
    """When all that can ring has; windows that come again are decided up to the last event, as over
    a file.
    """
    if not has_clock(compile_subscription(scenario.subscription, scenario.definitions).pattern):
        return "1970-01-02T00:00:00Z"
    return format_instant(
        max(parse_instant(event["endtime"]) for event in scenario.events) + LATENESS + 1
    )


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_hub(scenario: Scenario) -> None:
    hub = tocsin.Hub(lateness=format_duration(LATENESS))
    hub.define(*scenario.definitions)
    hub.subscribe(
        scenario.subscription.expression,
        language=scenario.subscription.language,
        id="s",
        policy=scenario.subscription.policy,
        horizon=scenario.subscription.horizon,
        options=scenario.subscription.options,
    )
    found = [match for event in scenario.events for match in hub.publish(event)]
    found += hub.advance_to(end_of(scenario))
    assert sorted(shown(match) for match in found) == sorted(scenario.expected)
    assert told_over(hub.dead_letters) == scenario.facts.get("over", False)


@pytest.mark.parametrize(
    "scenario",
    [each for each in SCENARIOS if "bindings" in each.facts],
    ids=lambda scenario: scenario.name,
)
def test_what_is_missing_is_named(scenario: Scenario) -> None:
    """Scenarios about lists tell the elements that their matches bind, on both sides."""
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    lines = [json.dumps(event).encode() for event in scenario.events]
    events = [from_mapping(event) for event in scenario.events]
    for found in (matches("s", plan, events), match_events({"s": plan}, read_events(lines))):
        bound = [
            value for match in found for name, value in match.bindings.items() if _is_element(name)
        ]
        assert bound == scenario.facts["bindings"]


def _is_element(name: str) -> bool:
    """A variable of elements goes by an attribute; variables of one letter stand for events."""
    return (len(name) > 1 or name == "l") and not name.startswith("absence")
