"""Warnings about events: something is odd, and the event is served all the same. Counted by kind,
the first kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tocsin.errors import EventProblem
from tocsin.events.event import Event


@dataclass(frozen=True, slots=True)
class EventWarning:
    """Which event, the kind of warning, and what is odd, in words and as the name that it
    is about.
    """

    source: str
    id: str
    code: str
    message: str
    token: str = ""

    @staticmethod
    def of(event: Event, problem: EventProblem) -> EventWarning:
        """The warning of a problem that refuses nothing."""
        return EventWarning(event.source, event.id, problem.code, problem.message, problem.token)

    def __str__(self) -> str:
        return f"event {self.id}: {self.code}: {self.message}"


@dataclass(slots=True)
class Warned:
    """How many warnings of each kind there were, and the first of each."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, EventWarning] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, warning: EventWarning) -> None:
        """Counts a warning."""
        self.counts[warning.code] += 1
        self.first.setdefault(warning.code, warning)

    def lines(self) -> Iterator[str]:
        """One line for each kind."""
        for code, count in sorted(self.counts.items()):
            yield (
                f"{count} x {code}, first for event {self.first[code].id}:"
                f" {self.first[code].message}"
            )
