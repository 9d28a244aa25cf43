"""Warnings about events that are served all the same, counted by kind, with the first of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tocsin.errors import EventProblem
from tocsin.events.event import Event


@dataclass(frozen=True, slots=True)
class EventWarning:
    """The event, the kind of warning, its message, and the name that it concerns."""

    source: str
    id: str
    code: str
    message: str
    token: str = ""

    @staticmethod
    def of(event: Event, problem: EventProblem) -> EventWarning:
        """Return the warning for a problem that does not refuse the event."""
        return EventWarning(event.source, event.id, problem.code, problem.message, problem.token)

    def __str__(self) -> str:
        return f"event {self.id}: {self.code}: {self.message}"


@dataclass(slots=True)
class Warned:
    """The number of warnings of each kind, and the first of each."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, EventWarning] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, warning: EventWarning) -> None:
        """Count a warning."""
        self.counts[warning.code] += 1
        self.first.setdefault(warning.code, warning)

    def lines(self) -> Iterator[str]:
        """Yield one line for each kind."""
        for code, count in sorted(self.counts.items()):
            yield (
                f"{count} x {code}, first for event {self.first[code].id}:"
                f" {self.first[code].message}"
            )
