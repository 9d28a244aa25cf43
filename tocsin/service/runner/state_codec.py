"""The state of a hub as bytes, and back. An event that is not parsed yet is stored as its original
text.
"""

from __future__ import annotations

from tocsin.engine.detection.base import State
from tocsin.engine.json_scan.batch_reader import scan_events
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.events.scanned import ScannedEvent
from tocsin.spark.match_task.serde import PlainEvent, event_of_plain, pack, plain_event, unpack


def pack_state(state: State) -> bytes:
    """Return the snapshot of a hub as bytes."""
    return pack({**state, "held": [(_kept(event), names) for event, names in state["held"]]})


def unpack_state(raw: bytes) -> State:
    """Return the snapshot from its bytes."""
    state: State = unpack(raw)
    usual = iter(scan_events([kept for kept, _ in state["held"] if isinstance(kept, bytes)]))
    state["held"] = [
        (
            next(usual) or decode(kept) if isinstance(kept, bytes) else event_of_plain(kept),
            names,
        )
        for kept, names in state["held"]
    ]
    return state


def _kept(event: Event) -> PlainEvent | bytes:
    return event.raw if isinstance(event, ScannedEvent) else plain_event(event)
