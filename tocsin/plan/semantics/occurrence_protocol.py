"""Protocol of the occurrence of a match, for the engine's and the reference's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tocsin.events.event import Event
from tocsin.plan.bindings import Rows
from tocsin.values.space import Geometry
from tocsin.values.time import Instant


class OccurrenceView(Protocol):
    """Members in canonical order, interval, place, bindings, and the silent windows."""

    @property
    def members(self) -> tuple[Event, ...]: ...
    @property
    def start(self) -> Instant: ...
    @property
    def end(self) -> Instant: ...
    @property
    def names(self) -> Mapping[str, OccurrenceView]: ...
    @property
    def absences(self) -> tuple[tuple[Instant, Instant], ...]: ...
    @property
    def rows(self) -> Rows: ...
    @property
    def place(self) -> Geometry | None: ...
