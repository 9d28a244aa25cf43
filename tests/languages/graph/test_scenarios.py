"""Every scenario of the graph language on the reference and on both matching strategies, with its
maps and warnings.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.scenarios.loading import Refusal, Scenario, refusals, refused_events, scenarios
from tocsin.engine.columns.batch import Batch
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.errors import EventProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.knowledge.loading import parse_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.warnings import warnings_in
from tocsin.languages import parse_subscription, problems_in_subscription
from tocsin.languages.base.reading import Context
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.reference.graphs import holds, maps

ALL = list(scenarios("graph.toml"))
COUNTED = [each for each in ALL if "maps" in each.facts]
WARNED = [each for each in ALL if "warnings" in each.facts]


def by_name(scenario: Scenario | Refusal) -> str:
    return scenario.name


def ontology_of(scenario: Scenario | Refusal) -> Ontology:
    assert scenario.ontology is not None
    definitions = scenario.definitions if isinstance(scenario, Scenario) else ()
    infer = [name for each in definitions for name in each.infer]
    return parse_ontology(scenario.ontology, infer=infer)


def pattern_of(scenario: Scenario) -> GraphPattern:
    given = scenario.subscription
    context = Context(ontology=ontology_of(scenario))
    pattern = parse_subscription("graph", given.expression, given.options, context).pattern
    assert isinstance(pattern, GraphPattern)
    return pattern


def events_of(scenario: Scenario) -> list[Event]:
    return [from_mapping(event) for event in scenario.events]


def shown(event: Event) -> str:
    assert event.interval is not None
    return f"{event.interval.end // 1000}: {event.id}"


def test_there_are_scenarios_for_every_example() -> None:
    ids = {
        event["id"]
        for scenario in (*ALL, *refused_events("graph.toml"))
        for event in scenario.events
    }
    # g19 has no event, g22 has two
    assert {f"g{number}" for number in range(1, 24)} - ids == {"g19", "g22"}


@pytest.mark.parametrize("scenario", ALL, ids=by_name)
def test_reference(scenario: Scenario) -> None:
    pattern = pattern_of(scenario)
    assert [shown(event) for event in events_of(scenario) if holds(pattern, event)] == list(
        scenario.expected
    )


@pytest.mark.parametrize("scenario", ALL, ids=by_name)
@pytest.mark.parametrize("strategy", [GraphMatcher, PaperMatcher])
def test_strategies_ring_every_subscriber_with_the_same_text(
    scenario: Scenario, strategy: type[GraphMatcher] | type[PaperMatcher]
) -> None:
    matcher, events = strategy(), events_of(scenario)
    for key in ("one", "two"):
        matcher.add(key, pattern_of(scenario))
    hits = matcher.match(Batch(events))
    found = Counter(shown(events[event]) for event in hits.events)
    assert found == dict.fromkeys(scenario.expected, 2)


@pytest.mark.parametrize("scenario", COUNTED, ids=by_name)
def test_number_of_maps(scenario: Scenario) -> None:
    (event,) = events_of(scenario)
    assert len(list(maps(pattern_of(scenario), event))) == scenario.facts["maps"]


@pytest.mark.parametrize("scenario", WARNED, ids=by_name)
def test_warnings(scenario: Scenario) -> None:
    (event,) = events_of(scenario)
    found = warnings_in(ontology_of(scenario), event.graph.arcs, event.graph.types)
    assert [each.code for each in found] == scenario.facts["warnings"]


def test_the_auction_of_the_paper_gives_no_warning() -> None:
    scenario = next(each for each in ALL if each.expected == ("1: e",))
    (event,) = events_of(scenario)
    assert warnings_in(ontology_of(scenario), event.graph.arcs, event.graph.types) == ()


@pytest.mark.parametrize("scenario", list(refused_events("graph.toml")), ids=by_name)
def test_refused_events(scenario: Scenario) -> None:
    codes = []
    for event in scenario.events:
        with pytest.raises(EventProblem) as caught:
            from_mapping(event)
        codes.append(caught.value.code)
    assert codes == scenario.facts["refused"]


@pytest.mark.parametrize("refusal", list(refusals("graph.toml")), ids=by_name)
def test_refused_subscriptions(refusal: Refusal) -> None:
    given = refusal.subscription
    found = problems_in_subscription(
        "graph", given.expression, given.options, Context(ontology=ontology_of(refusal))
    )
    assert tuple(problem.code for problem in found) == refusal.problems
