"""Inspection of a runner's hub for other threads: the runner calls their functions between two
steps, while the hub does not change.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tocsin.errors import StateProblem, UnsupportedProblem
from tocsin.hub.step_hub import StepHub

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
