"""Finite input in process: decode, order as a whole, match in batches, put out in output order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tocsin.engine.batch import Batch
from tocsin.engine.detection.network import Found
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.codecs.cloudevents import decode
from tocsin.events.dead_letter import DeadLetter, late, malformed
from tocsin.events.event import Event
from tocsin.events.match import Match, match_of_event
from tocsin.events.order import in_canonical_order
from tocsin.hosts.ordering import Watermark
from tocsin.plan.composites import Plan
from tocsin.plan.rendering import match_of
from tocsin.values.time import Duration, Instant

BATCH_SIZE = 8192


@dataclass(slots=True)
class Input:
    """Decoded events in canonical order, each identity once, who of them came late, and what could not be served."""

    events: list[Event] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    late: set[tuple[str, str]] = field(default_factory=set)


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
            found.late.add(event.identity)
        found.events.append(event)
    found.events = in_canonical_order(found.events)
    return found


def match_events(
    plans: Mapping[str, Plan],
    found: Input,
    until: Instant | None = None,
    progress: Callable[[int], object] = lambda events: None,
) -> list[Match]:
    """Every match of the plans over finite input, in output order; at its end the clock runs on to `until`.

    What came late rings atomic subscriptions only: composites have gone past it. `progress` hears how many events
    are done.
    """
    engine = Engine()
    for subscription, plan in plans.items():
        engine.add(subscription, plan)
    matches: list[Match] = []
    for number, batch in enumerate(_batches(found.events)):
        progress(number * BATCH_SIZE)
        matched = engine.match_all(batch)
        matches += (match_of_event(key, batch.event(index)) for index, key in matched.rings)
        for each in matched.relevant:
            event = batch.event(each.index)
            if event.identity not in found.late:
                matches += rendered(engine.detect(event, each.atoms))
    matches += rendered(engine.advance_to(until))
    return sorted(_once(matches), key=lambda match: match.order)


def rendered(found: Found) -> Iterator[Match]:
    """The matches of what was detected."""
    return (match_of(key, occurrence) for key, occurrence in found)


def _once(matches: list[Match]) -> Iterable[Match]:
    """The first of those with one id: occurrences with the same members and windows are one match."""
    return {match.id: match for match in reversed(matches)}.values()


def _batches(events: list[Event]) -> Iterator[Batch]:
    for start in range(0, len(events), BATCH_SIZE):
        yield Batch(events[start : start + BATCH_SIZE])
