"""Finite input in process: decode, order as a whole, match in batches, put out in output order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tocsin.engine.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.codecs.cloudevents import decode
from tocsin.events.dead_letter import DeadLetter, late, malformed
from tocsin.events.event import Event
from tocsin.events.match import Match, match_of_event
from tocsin.events.order import in_canonical_order
from tocsin.hosts.ordering import Watermark
from tocsin.plan.composites import Plan
from tocsin.values.time import Duration

BATCH_SIZE = 8192


@dataclass(slots=True)
class Input:
    """Decoded events in canonical order, each identity once, and what could not be decoded or came late."""

    events: list[Event] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)


def read_events(lines: Iterable[bytes], lateness: Duration | None = None) -> Input:
    """Decodes JSON Lines; blank lines are passed over, malformed ones become dead letters with their line number."""
    found = Input()
    watermark = Watermark(lateness)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            event = decode(line)
        except Problem as problem:
            found.dead_letters.append(malformed(problem, line, number))
            continue
        if watermark.is_late(event):
            found.dead_letters.append(late(event, number))
        found.events.append(event)
    found.events = in_canonical_order(found.events)
    return found


def match_events(plans: Mapping[str, Plan], events: list[Event]) -> list[Match]:
    """Every match of the plans over events in canonical order, in output order."""
    engine = Engine()
    for subscription, plan in plans.items():
        engine.add(subscription, plan)
    found = [match for batch in _batches(events) for match in match_batch(engine, batch)]
    return sorted(found, key=lambda match: match.order)


def match_batch(engine: Engine, batch: Batch) -> Iterator[Match]:
    """The matches of one batch, by event and then in the order of subscribing."""
    hits = engine.match(batch)
    for index, key in zip(hits.events.tolist(), engine.keys_of(hits.slots), strict=True):
        yield match_of_event(key, batch.event(index))


def _batches(events: list[Event]) -> Iterator[Batch]:
    for start in range(0, len(events), BATCH_SIZE):
        yield Batch(events[start : start + BATCH_SIZE])
