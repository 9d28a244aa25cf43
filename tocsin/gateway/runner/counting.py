"""What a runner has done, in figures that only grow, and how long its steps took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tocsin.gateway.storage.rows import LogRow
from tocsin.hosts.local.driven import DrivenHub, Outcome


@dataclass(slots=True)
class Counters:
    """Since the process began."""

    events: int = 0
    matches: int = 0
    late: int = 0
    duplicates: int = 0
    letters: Counter[str] = field(default_factory=Counter)
    by_subscription: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    seconds: float = 0.0
    last_step: float = 0.0

    def count(
        self, rows: Sequence[LogRow], outcome: Outcome, seconds: float, hub: DrivenHub
    ) -> None:
        """One step more."""
        self.events = hub.counts.events
        self.duplicates = hub.counts.duplicates
        self.late = hub.counts.late
        self.matches += len(outcome.matches)
        self.letters.update(row.code or "" for row in rows if row.code is not None)
        self.letters.update(letter.code for letter in outcome.letters)
        self.by_subscription.update(match.subscription for match in outcome.matches)
        self.steps += 1
        self.seconds += seconds
        self.last_step = seconds
