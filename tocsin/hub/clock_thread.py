"""A clock that runs: calls its owner when an instant of the wall clock has come, from a thread of
its own.

The owner is held by a weak reference: an owner that is forgotten without being closed takes the
thread with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod, finalize

from tocsin.values.time import Instant

LONGEST_WAIT = 5.0
"""Seconds after which the wall clock is looked at again, since it may have been set."""


def wall_clock() -> Instant:
    """What the clock on the wall says."""
    return time.time_ns() // 1000


class Alarm:
    """Rings at the instant that was set last; one that has come already rings at once. None for
    never.
    """

    def __init__(self, ring: Callable[[], object], now: Callable[[], Instant] = wall_clock) -> None:
        self._now = now
        self._due: Instant | None = None
        self._is_closed = False
        self._changed = threading.Condition()
        owner: Any = ring.__self__  # type: ignore[attr-defined]
        self._thread = threading.Thread(
            target=_watch, args=(self, WeakMethod(ring)), name="tocsin-clock", daemon=True
        )
        finalize(owner, self.stop).atexit = False
        self._thread.start()

    def set(self, due: Instant | None) -> None:
        """The next instant to ring at, in place of the one before."""
        with self._changed:
            sooner = due is not None and (self._due is None or due < self._due)
            self._due = due
            if sooner:
                self._changed.notify()

    def stop(self) -> None:
        """Rings no more, once a ring that is under way is over."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def close(self) -> None:
        """Rings no more; waits for a ring that is under way, unless it is this one that closes."""
        self.stop()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def await_due(self) -> bool:
        """Returns when the instant has come, which is forgotten then; False when the alarm is
        closed.
        """
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


def _watch(alarm: Alarm, ring: WeakMethod[Callable[[], object]]) -> None:
    while alarm.await_due():
        call = ring()
        if call is None:
            return
        call()
        del call  # or the owner could not be forgotten while nothing is due
