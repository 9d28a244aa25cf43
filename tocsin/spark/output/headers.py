"""What a match tells of its event, as columns: identity, times (null where it has none), place,
what its row keeps.
"""

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
        """The heads at some places, in that order."""
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
        """(source, id) of each."""
        return list(zip(self.sources.to_pylist(), self.ids.to_pylist(), strict=True))


def heads_of_events(events: Sequence[Event], *, places: bool = True) -> Heads:
    """The heads of events in memory."""
    intervals = [event.interval for event in events]
    return Heads(
        pa.array([event.id for event in events], pa.string()),
        pa.array([event.source for event in events], pa.string()),
        pa.array([each and each.start for each in intervals], pa.int64()),
        pa.array([each and each.end for each in intervals], pa.int64()),
        pa.array([event.place_text if places else None for event in events], pa.string()),
        pa.array(map(carried_by, events), pa.string()),
    )
