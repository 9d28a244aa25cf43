"""Runs of a plan over events: as a whole, up to a cut, and on from what an engine held there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.composites import Plan

_KEY = "s"


def in_order(events: Sequence[dict[str, Any]]) -> list[Event]:
    """The events as they are served."""
    return in_canonical_order(from_mapping(event) for event in events)


def engine_of(plan: Plan) -> Engine:
    """An engine that has seen nothing."""
    engine = Engine()
    engine.add(_KEY, plan)
    return engine


def served(engine: Engine, events: Sequence[Event]) -> list[dict[str, Any]]:
    """What rings for the events."""
    found: list[Match] = []
    for event in events:
        matched = engine.match(Batch([event]))
        rung = [engine.render_atomic_match(key, event) for _, key in matched.atomic_matches]
        found += [each for each in rung if isinstance(each, Match)]
        if event.interval is not None:
            atoms = [atom for each in matched.composite_inputs for atom in each.atoms]
            found += engine.detect(event, atoms).matches
    return [told(match) for match in found]


def ended(engine: Engine) -> list[dict[str, Any]]:
    """What rings when there are no more events."""
    return [told(match) for match in engine.advance_to(None).matches]


def told(match: Match) -> dict[str, Any]:
    """What a match says, but for its id: how that is made may change."""
    return {
        "events": list(match.events),
        "start": match.start,
        "end": match.end,
        "place": match.place,
        "bindings": dict(match.bindings),
        "outputs": list(match.outputs),
    }
