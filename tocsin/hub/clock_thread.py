"""Timer on the wall clock: calls its owner at the instant set, from a thread of its own.

The owner is held by a weak reference: the thread ends when an owner is garbage-collected unclosed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod, finalize

from tocsin.runtime.admission import wall_clock
from tocsin.values.time import Instant

LONGEST_WAIT = 5.0
"""Seconds after which the wall clock is read again, since it may have been set."""


class ClockThread:
    """A timer that fires at the instant set last, at once if it has passed; None for never."""

    def __init__(self, fire: Callable[[], object], now: Callable[[], Instant] = wall_clock) -> None:
        self._now = now
        self._due: Instant | None = None
        self._is_closed = False
        self._changed = threading.Condition()
        owner: Any = fire.__self__  # type: ignore[attr-defined]
        self._thread = threading.Thread(
            target=_watch, args=(self, WeakMethod(fire)), name="tocsin-clock", daemon=True
        )
        finalize(owner, self.stop).atexit = False
        self._thread.start()

    def set(self, due: Instant | None) -> None:
        """Replace the instant at which the timer fires."""
        with self._changed:
            sooner = due is not None and (self._due is None or due < self._due)
            self._due = due
            if sooner:
                self._changed.notify()

    def stop(self) -> None:
        """Stop the timer; a call that is running finishes."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def close(self) -> None:
        """Stop the timer and wait for a running call, unless that call itself closes the timer."""
        self.stop()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def await_due(self) -> bool:
        """Wait until the instant set has passed, and clear it; return False if closed."""
        with self._changed:
            while not self._is_closed:
                if self._due is None:
                    self._changed.wait()
                    continue
                left = (self._due - self._now()) / 1_000_000
                if left <= 0:
                    self._due = None
                    return True
                self._changed.wait(min(left, LONGEST_WAIT))
            return False


def _watch(alarm: ClockThread, fire: WeakMethod[Callable[[], object]]) -> None:
    while alarm.await_due():
        call = fire()
        if call is None:
            return
        call()
        del call  # a reference would keep the owner alive while nothing is due
