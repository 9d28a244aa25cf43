"""The partial matches of a subscription: events, since when, until when, and what they need."""

from __future__ import annotations

from typing import Any

from tocsin.engine.detection.base import Pending
from tocsin.events.event import Event
from tocsin.explain.wording import events_text
from tocsin.hub.step_hub import StepHub
from tocsin.plan.explain.plan import waiting_text
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant, format_instant

MAX_LISTED = 1_000
"""Entries of each kind returned, at most."""

Seen = tuple[list[Pending], list[Event], int]
"""Partial matches, events in the reorder buffer, and the number of entries left out."""


def seen_waiting(hub: StepHub, id: str) -> Seen:
    """Return the state of a subscription in a hub, by its name in the catalog."""
    pending, held = hub.pending(id), hub.held_events(id)
    left_out = max(0, len(pending) - MAX_LISTED) + max(0, len(held) - MAX_LISTED)
    return pending[:MAX_LISTED], held[:MAX_LISTED], left_out


def describe_waiting(seen: Seen, sources: Sources = NO_SOURCES) -> list[dict[str, Any]]:
    """Return the state as JSON, soonest end first."""
    pending, held, _ = seen
    ordered = sorted(pending, key=lambda each: (each.until is None, each.until or 0))
    return [describe_pending(each, sources) for each in ordered] + [
        _describe_buffered(each) for each in held
    ]


def pending_text(pending: Pending, sources: Sources = NO_SOURCES) -> str:
    """Return what a partial match needs, and until when, in one line."""
    names = _names(pending.occurrence)
    return waiting_text(pending.owner, pending.slot, names, pending.until, sources)


def describe_pending(pending: Pending, sources: Sources = NO_SOURCES) -> dict[str, Any]:
    """Return a partial match as JSON."""
    found = pending.occurrence
    return {
        "what": pending_text(pending, sources),
        "since": format_instant(found.end),
        "until": _time(pending.until),
        "members": [describe_member(each) for each in found.members],
    }


def describe_member(event: Event) -> dict[str, Any]:
    """Return the identity and the interval of an event as JSON."""
    interval = event.interval
    return {
        "source": event.source,
        "id": event.id,
        "start": None if interval is None else format_instant(interval.start),
        "end": None if interval is None else format_instant(interval.end),
    }


def _describe_buffered(event: Event) -> dict[str, Any]:
    since = None if event.interval is None else event.interval.end
    return {
        "what": f"event {event.id}: in the reorder buffer until the watermark passes it",
        "since": _time(since),
        "until": None,
        "members": [describe_member(event)],
    }


def _names(occurrence: Occurrence) -> str:
    windows = (
        f", none from {format_instant(start)} to {format_instant(end)}"
        for start, end in occurrence.absences
    )
    return "".join((events_text([each.id for each in occurrence.members]), *windows))


def _time(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)
