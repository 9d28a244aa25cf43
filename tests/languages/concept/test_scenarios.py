"""The worked examples of the specification, by the reference and in process; and the texts that are refused."""

from __future__ import annotations

import json

import pytest

from tests.scenarios.loading import Refusal, Scenario, refusals, scenarios, shown
from tocsin.events.codecs.cloudevents import from_mapping
from tocsin.hosts.local.finite import match_events, read_events
from tocsin.knowledge.ontology import open_ontology
from tocsin.languages import parse_subscription, problems_in_subscription
from tocsin.languages.concept import tbox_of_text
from tocsin.languages.context import Context, Definition, PartDefinition
from tocsin.plan.composites import Plan
from tocsin.plan.passes import prepared
from tocsin.plan.settings import DEFAULT_HORIZON, with_settings
from tocsin.reference import matches

ALL = list(scenarios("concept.toml"))


def context_of(ontology: str | None, definitions: dict[str, Definition] | None = None) -> Context:
    return Context(definitions or {}, open_ontology().with_tbox(tbox_of_text(ontology or "")))


def plan_of(scenario: Scenario) -> Plan:
    definitions: dict[str, Definition] = {
        each.name: PartDefinition(each.name, each.language, each.expression)
        for each in scenario.definitions
        if each.region is None
    }
    context, asked = context_of(scenario.ontology, definitions), scenario.subscription
    plan = parse_subscription("concept", asked.expression, asked.options, context)
    return with_settings(prepared(plan), None, DEFAULT_HORIZON)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_reference(scenario: Scenario) -> None:
    found = matches("s", plan_of(scenario), [from_mapping(event) for event in scenario.events])
    assert [shown(match) for match in found] == list(scenario.expected)


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_local(scenario: Scenario) -> None:
    lines = [json.dumps(event).encode() for event in scenario.events]
    found = match_events({"s": plan_of(scenario)}, read_events(lines))
    assert [shown(match) for match in found] == list(scenario.expected)


@pytest.mark.parametrize("refusal", list(refusals("concept.toml")), ids=lambda refusal: refusal.name)
def test_refused(refusal: Refusal) -> None:
    found = problems_in_subscription("concept", refusal.subscription.expression, {}, context_of(refusal.ontology))
    assert tuple(problem.code for problem in found) == refusal.problems
