"""The state of a hub as bytes, and back."""

from __future__ import annotations

from tocsin.engine.detection.node import State
from tocsin.hosts.spark.tasks.serde import event_of_plain, pack, plain_event, unpack


def packed(state: State) -> bytes:
    """The snapshot of a hub as bytes."""
    return pack({**state, "held": [(plain_event(event), names) for event, names in state["held"]]})


def unpacked(raw: bytes) -> State:
    """The snapshot that was packed."""
    state: State = unpack(raw)
    state["held"] = [(event_of_plain(plain), names) for plain, names in state["held"]]
    return state
