"""Match fields of events as columns: identity, times (null without a time), place, kept columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tocsin.events.event import Event
from tocsin.spark.output.carried_columns import carried_by

INSTANT = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True, slots=True)
class Heads:
    """One entry per event; `starts` and `ends` are instants in microseconds."""

    ids: Any
    sources: Any
    starts: Any
    ends: Any
    places: Any
    kept: Any

    def take(self, at: Any) -> Heads:
        """Return the entries at the given indexes, in that order."""
        chosen = pa.array(at)
        return Heads(
            self.ids.take(chosen),
            self.sources.take(chosen),
            self.starts.take(chosen),
            self.ends.take(chosen),
            self.places.take(chosen),
            self.kept.take(chosen),
        )

    def identities(self) -> list[tuple[str, str]]:
        """Return the (source, id) of each event."""
        return list(zip(self.sources.to_pylist(), self.ids.to_pylist(), strict=True))


def heads_of_events(events: Sequence[Event], *, places: bool = True) -> Heads:
    """Return the match fields of events in memory."""
    intervals = [event.interval for event in events]
    return Heads(
        pa.array([event.id for event in events], pa.string()),
        pa.array([event.source for event in events], pa.string()),
        pa.array([each and each.start for each in intervals], pa.int64()),
        pa.array([each and each.end for each in intervals], pa.int64()),
        pa.array([event.place_text if places else None for event in events], pa.string()),
        pa.array(map(carried_by, events), pa.string()),
    )
