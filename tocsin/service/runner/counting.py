"""Monotonic counters of a runner, and a histogram of the time of its steps."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from tocsin.hub.step_hub import StepHub, StepOutcome
from tocsin.service.storage.results import NewLetter

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram of step times, in seconds."""


@dataclass(slots=True)
class Counters:
    """Counters since the process began. `letters` are counted by tenant and code."""

    events: int = 0
    matches: int = 0
    late: int = 0
    duplicates: int = 0
    letters: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_subscription: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    seconds: float = 0.0
    snapshot_bytes: int = 0
    _buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))

    def count_letters(self, letters: Sequence[NewLetter]) -> None:
        """Count the dead letters of a step."""
        self.letters.update((letter.tenant, letter.code) for letter in letters)

    def count(self, outcome: StepOutcome, seconds: float, hub: StepHub) -> None:
        """Count one step."""
        self.events = hub.counts.events
        self.duplicates = hub.counts.duplicates
        self.late = hub.counts.late
        self.matches += len(outcome.matches)
        self.by_subscription.update(match.subscription for match in outcome.matches)
        self.steps += 1
        self.seconds += seconds
        self._buckets[bisect_left(BOUNDS, seconds)] += 1

    def cumulated(self) -> Iterator[tuple[float | str, int]]:
        """Yield each bound of step times with the number of steps up to it."""
        yield from zip((*BOUNDS, "+Inf"), accumulate(self._buckets), strict=True)
