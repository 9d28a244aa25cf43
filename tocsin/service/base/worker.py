"""The background threads of the service: all start, repeat, retry and stop in one way."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tocsin.errors import Problem
from tocsin.events.dead_letter import shown_error


class BackgroundWorker:
    """A daemon thread that calls `work` round after round, from `start` to `stop`.

    The first round begins after `delay` seconds, each further one after `pause` seconds. A round
    that raises is logged and repeated: after `first_wait` seconds, then after twice as many each
    time, up to `longest_wait`, until a round succeeds. A round that waits does so by `wait`, or
    `wake` ends its wait; `finish` is called last, in the thread.

    `error` is the text of the last failure; None after a success.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], object],
        log: logging.Logger,
        *,
        delay: float = 0.0,
        pause: float = 0.0,
        first_wait: float = 0.5,
        longest_wait: float = 30.0,
        wake: Callable[[], object] = lambda: None,
        finish: Callable[[], object] = lambda: None,
    ) -> None:
        self._name, self._work, self._log = name, work, log
        self._delay, self._pause = delay, pause
        self._first_wait, self._longest_wait = first_wait, longest_wait
        self._wake, self._finish = wake, finish
        self._next_wait = first_wait
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"tocsin-{name}", daemon=True)
        self.error: str | None = None

    @property
    def is_alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        """True after a call of `stop`: the round ends as soon as it can."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Start the thread, once; do nothing after `stop`."""
        if not self.is_stopping:
            self._thread.start()

    def stop(self, within: float | None = None) -> None:
        """Make the round that runs the last one; return when the thread has ended, or after
        `within` seconds. May be called again, before `start` and by the thread itself.
        """
        self._stopping.set()
        self._wake()
        if self.is_alive and threading.current_thread() is not self._thread:
            self._thread.join(within)

    def wait(self, seconds: float) -> bool:
        """Wait, in a round; True, at once, if the worker is to stop."""
        return self._stopping.wait(seconds)

    def succeed(self) -> None:
        """Note a success before the end of a round: the wait after a failure is the first again."""
        self.error = None
        self._next_wait = self._first_wait

    def _run(self) -> None:
        try:
            self.wait(self._delay)
            while not self.is_stopping:
                self.wait(self._run_round())
        finally:
            self._finish()

    def _run_round(self) -> float:
        """Run one round; return the seconds until the next one."""
        try:
            self._work()
        except Exception as error:
            return self._note_failure(error)
        self.succeed()
        return self._pause

    def _note_failure(self, error: Exception) -> float:
        """Log the failure of a round, an unexpected one with its traceback unless it is repeated;
        return the seconds to wait.
        """
        is_expected = isinstance(error, Problem)
        reason = str(error) if is_expected else shown_error(error)
        trace = None if is_expected or reason == self.error else error
        wait, self._next_wait = self._next_wait, min(self._longest_wait, 2 * self._next_wait)
        self.error = reason
        if self.is_stopping:
            self._log.warning("%s: %s", self._name, reason, exc_info=trace)
        else:
            self._log.warning(
                "%s: %s; trying again in %.1f s", self._name, reason, wait, exc_info=trace
            )
        return wait


class EventLoopWorker(BackgroundWorker):
    """A worker whose round is a coroutine in an event loop of its own. `work` is called with an
    event and returns when the event is set.
    """

    def __init__(
        self, name: str, work: Callable[[asyncio.Event], Awaitable[None]], log: logging.Logger
    ) -> None:
        self._begun = threading.Event()
        super().__init__(name, self._run_loop, log, wake=self._request_end, finish=self._begun.set)
        self._coroutine = work
        self._end: asyncio.Event | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        """The loop of the round that runs now; None between rounds."""

    def start(self) -> None:
        """Start the thread; return when the coroutine waits for the first time, or has failed."""
        super().start()
        if self.is_alive:
            self._begun.wait()

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the loop, from any thread; do nothing if no round runs."""
        loop = self.loop
        if loop is not None:
            with suppress(RuntimeError):  # the round has just ended, and closed its loop
                loop.call_soon_threadsafe(function)

    def _run_loop(self) -> None:
        try:
            asyncio.run(self._run_coroutine())
        finally:
            self.loop = None
            self._begun.set()

    async def _run_coroutine(self) -> None:
        self._end = asyncio.Event()
        running = asyncio.ensure_future(self._coroutine(self._end))
        asyncio.get_running_loop().call_soon(self._note_begun)  # after the first step of `running`
        await running

    def _note_begun(self) -> None:
        self.loop = asyncio.get_running_loop()
        if self.is_stopping:  # `stop` may have looked for the loop before it was there
            self._request_end()
        self._begun.set()

    def _request_end(self) -> None:
        end = self._end
        if end is not None:
            self.call(end.set)
