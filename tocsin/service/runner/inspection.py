"""Inspection of a runner by other threads: its hub, between two steps, and its counters.

The runner calls their functions between two steps, while the hub does not change.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from tocsin.errors import StateProblem, UnsupportedProblem
from tocsin.hub.step_hub import StepHub, StepOutcome
from tocsin.service.storage.results import NewLetter

Look = Callable[[StepHub], Any]


class Inspections:
    """Queue of inspection functions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Look, Future[Any]]] = deque()
        self._is_closed = False

    def ask(self, look: Look) -> Future[Any]:
        """Queue a function; return a future of its result. Raises StateProblem after `refuse`."""
        done: Future[Any] = Future()
        with self._lock:
            if self._is_closed:
                raise _stopping()
            self._waiting.append((look, done))
        return done

    def take(self, hub: StepHub) -> None:
        """Call all queued functions; for the thread that works with the hub."""
        while self._waiting:
            with self._lock:
                look, done = self._waiting.popleft()
            if not done.set_running_or_notify_cancel():
                continue
            try:
                done.set_result(look(hub))
            except Exception as error:
                done.set_exception(error)

    def refuse(self) -> None:
        """Fail all queued functions, and refuse further ones."""
        with self._lock:
            self._is_closed = True
            left, self._waiting = self._waiting, deque()
        for _, done in left:
            if done.set_running_or_notify_cancel():
                done.set_exception(_stopping())


def _stopping() -> StateProblem:
    return StateProblem("the service is stopping", code="Stopping", hint="try again in a while")


def not_here(engine: str) -> UnsupportedProblem:
    """Return the problem of inspecting a state that is in another process."""
    return UnsupportedProblem(
        f"what waits is kept elsewhere with the engine {engine}, and cannot be told here",
        code="NotHere",
        token=engine,
        hint="ask a service with --engine local, or the gateway that matches",
    )


# Monotonic counters of a runner, and a histogram of the time of its steps.

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
