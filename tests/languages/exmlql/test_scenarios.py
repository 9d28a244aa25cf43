"""The examples and edge cases of the spec, on the reference and in process: which events, when, and
what is built.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pytest

import tocsin
from tests.builders import event_json
from tests.scenarios.loading import Refusal, Scenario, refusals, scenarios, shown
from tocsin.catalog import compile_subscription, problems_of
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.matches.match import Match
from tocsin.reference import matches
from tocsin.runtime.finite_run import match_events, read_events

SCENARIOS = list(scenarios("exmlql.toml"))


def check(
    scenario: Scenario, found: Sequence[Match], letters: Iterable[DeadLetter] | None = None
) -> None:
    assert [shown(match) for match in found] == list(scenario.expected)
    if "outputs" in scenario.facts:
        assert [text for match in found for text in match.outputs] == scenario.facts["outputs"]
    if letters is not None:
        assert [letter.code for letter in letters] == scenario.facts.get("letters", [])


@pytest.mark.parametrize("refusal", list(refusals("exmlql.toml")), ids=lambda refusal: refusal.name)
def test_refused(refusal: Refusal) -> None:
    found = problems_of(refusal.subscription, refusal.definitions)
    assert tuple(problem.code for problem in found) == refusal.problems
    assert all(problem.place and problem.token and problem.hint for problem in found)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_reference(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    check(scenario, matches("s", plan, [from_mapping(event) for event in scenario.events]))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_local(scenario: Scenario) -> None:
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    lines = [json.dumps(event).encode() for event in scenario.events]
    given = read_events(lines)
    check(scenario, match_events({"s": plan}, given), given.dead_letters)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_hub(scenario: Scenario) -> None:
    hub = tocsin.Hub(lateness="10m")
    hub.define(*scenario.definitions)
    hub.subscribe(scenario.subscription.expression, language="exmlql", id="s")
    found = [match for event in scenario.events for match in hub.publish(event)]
    found += hub.advance_to("1970-01-02T00:00:00Z")
    check(scenario, sorted(found, key=lambda match: match.order), hub.dead_letters)


def test_blocks_inside_of_another_language_join_by_their_variables() -> None:
    """An order, and within ten minutes its invoice: OPSL over XML and, through its document, over
    JSON.
    """
    text = "=|(xml{WHERE <order><id>$i</></>}; 10m) xml{WHERE <invoice><for>$i</></>}"
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(text, language="opsl", id="s")
    found = hub.publish(
        _document("o7", 0, "<order><id>7</id></order>"),
        _document("i8", 1, "<invoice><for>8</for></invoice>"),
        _document("i7", 2, {"invoice": {"for": 7}}),
        _document("late", 30, "<invoice><for>7</for></invoice>"),
    )
    found += hub.advance_to("2026-01-01T10:00:00Z")
    assert [(match.events, dict(match.bindings)) for match in found] == [
        (("o7", "i7"), {"$i": "7"})
    ]


def _document(name: str, minute: int, data: object) -> dict[str, object]:
    kind = "application/xml" if isinstance(data, str) else "application/json"
    return event_json(name, second=(8 * 60 + minute) * 60, content_type=kind, data=data)
