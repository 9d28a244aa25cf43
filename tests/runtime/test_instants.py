"""Time that passes by many instants at once brings about what each instant brings about alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.timelines import patterns, timelines
from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.engine.results import NOTHING
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, deduplicate
from tocsin.plan.nodes.composites import Part, Plan, Policy

END = 60
PARTS = st.sampled_from(list(Policy)).flatmap(patterns)


def engine_of(parts: list[Part], events: list[Event]) -> Engine:
    """An engine to which all happened, but for the time after it."""
    engine = Engine(contains_faults=True)
    for number, part in enumerate(parts):
        engine.add(f"s{number}", Plan(part))
    for event in events:
        for each in engine.match(Batch([event])).composite_inputs:
            engine.detect(event, each.atoms)
    return engine


def by_instants(engine: Engine) -> list[Match]:
    """Each instant alone."""
    found: list[Match] = []
    while (due := engine.network.next_timer()) is not None and due <= END:
        found += deduplicate(engine.advance_to(due, END).matches)
    return found


@given(st.lists(PARTS, min_size=1, max_size=3), timelines())
def test_instants_at_once_are_instants_one_by_one(parts: list[Part], events: list[Event]) -> None:
    at_once: list[Match] = []
    engine = engine_of(parts, events)
    assert engine.advance_to(END, END, at_once) is NOTHING
    assert at_once == by_instants(engine_of(parts, events))
    assert (engine.network.next_timer() or END + 1) > END
