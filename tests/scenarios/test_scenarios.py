"""Every scenario on every host."""

from __future__ import annotations

import json

import pytest

import tocsin
from tests.scenarios.loading import Scenario, scenarios, shown
from tocsin.catalog import compile_subscription
from tocsin.events.codecs.cloudevents import from_mapping
from tocsin.hosts.local.finite import match_events, read_events
from tocsin.reference import matches

FILES = ("opsl.toml", "graph.toml", "concept.toml", "exmlql.toml")
SCENARIOS = [scenario for file in FILES for scenario in scenarios(file)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_reference(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    found = matches("s", plan, [from_mapping(event) for event in scenario.events])
    assert [shown(match) for match in found] == list(scenario.expected)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_local(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    lines = [json.dumps(event).encode() for event in scenario.events]
    found = match_events({"s": plan}, read_events(lines))
    assert [shown(match) for match in found] == list(scenario.expected)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_hub(scenario: Scenario) -> None:
    hub = tocsin.Hub(lateness="10m")
    hub.define(*scenario.definitions)
    hub.subscribe(
        scenario.subscription.expression,
        language=scenario.subscription.language,
        id="s",
        policy=scenario.subscription.policy,
        options=scenario.subscription.options,
    )
    found = [match for event in scenario.events for match in hub.publish(event)]
    found += hub.advance_to("1970-01-02T00:00:00Z")
    assert sorted(shown(match) for match in found) == sorted(scenario.expected)
