"""What waits for a subscription: which events, since when, until when, and for what."""

from __future__ import annotations

from itertools import islice
from typing import Any

from tocsin.engine.detection.base import Pending
from tocsin.events.event import Event
from tocsin.hub.step_hub import DrivenHub
from tocsin.plan.explain.composites import waiting_text
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant, format_instant

MOST = 1_000
"""So many are told."""

Seen = tuple[list[Pending], list[Event], int]
"""What waits in parts, what waits for the watermark, and how many are left out."""


def seen_waiting(hub: DrivenHub, id: str) -> Seen:
    """What waits in a hub for a subscription, by its name in the catalog."""
    pending, held = hub.pending(id), hub.held_events(id)
    left_out = max(0, len(pending) - MOST) + max(0, len(held) - MOST)
    return pending[:MOST], held[:MOST], left_out


def waiting_told(seen: Seen) -> list[dict[str, Any]]:
    """The same in words, those first that end first."""
    pending, held, _ = seen
    ordered = sorted(pending, key=lambda each: (each.until is None, each.until or 0))
    return [pending_told(each) for each in ordered] + [_held_told(each) for each in held]


def pending_told(pending: Pending) -> dict[str, Any]:
    """An occurrence that waits in a part."""
    found = pending.occurrence
    what = waiting_text(pending.owner, pending.slot, _names(found), pending.until)
    return {
        "what": what,
        "since": format_instant(found.end),
        "until": _time(pending.until),
        "members": [member_told(each) for each in found.members],
    }


def member_told(event: Event) -> dict[str, Any]:
    """Which event, and when it was."""
    interval = event.interval
    return {
        "source": event.source,
        "id": event.id,
        "start": None if interval is None else format_instant(interval.start),
        "end": None if interval is None else format_instant(interval.end),
    }


def _held_told(event: Event) -> dict[str, Any]:
    since = None if event.interval is None else event.interval.end
    return {
        "what": f"{event.id}: waits until no earlier event can come any more",
        "since": _time(since),
        "until": None,
        "members": [member_told(event)],
    }


def _names(occurrence: Occurrence) -> str:
    names = [member.id for member in islice(occurrence.members, 10)]
    more = len(occurrence.members) - len(names)
    return " ".join([*names, *([f"and {more} more"] if more else [])]) or "no events"


def _time(instant: Instant | None) -> str | None:
    return None if instant is None else format_instant(instant)
