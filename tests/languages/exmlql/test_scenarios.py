"""The examples and edge cases of the spec, on the reference and in process: which events, when, and what is built."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import tocsin
from tests.scenarios.loading import Scenario, scenarios, shown
from tocsin.catalog import compile_subscription
from tocsin.events.codecs.cloudevents import from_mapping
from tocsin.events.match import Match
from tocsin.hosts.local.finite import match_events, read_events
from tocsin.reference import matches

SCENARIOS = list(scenarios("exmlql.toml"))


def check(scenario: Scenario, found: Sequence[Match]) -> None:
    assert [shown(match) for match in found] == list(scenario.expected)
    if "outputs" in scenario.facts:
        assert [text for match in found for text in match.outputs] == scenario.facts["outputs"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_reference(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    check(scenario, matches("s", plan, [from_mapping(event) for event in scenario.events]))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_local(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    lines = [json.dumps(event).encode() for event in scenario.events]
    check(scenario, match_events({"s": plan}, read_events(lines)))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_hub(scenario: Scenario) -> None:
    hub = tocsin.Hub(lateness="10m")
    hub.subscribe(scenario.subscription.expression, language="exmlql", id="s")
    found = [match for event in scenario.events for match in hub.publish(event)]
    found += hub.advance_to("1970-01-02T00:00:00Z")
    check(scenario, sorted(found, key=lambda match: match.order))
