"""The event loop for asynchronous receivers: a given one, or one in a thread of its own.

The thread starts with the first receiver that needs it and never keeps a program alive.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any


class EventLoop:
    """Runs coroutines from any thread on one event loop."""

    __slots__ = ("__weakref__", "_is_closed", "_is_own", "_lock", "_loop", "_running", "_thread")

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop
        self._is_own = loop is None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._running: set[Future[None]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a coroutine and return at once; raises RuntimeError if the loop is closed."""
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the hub is closed")
            future = asyncio.run_coroutine_threadsafe(work, self._started())
            self._running.add(future)
        future.add_done_callback(self._running.discard)

    def adopt(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Run everything on a given loop; return False if it runs on another already."""
        with self._lock:
            if self._loop is None:
                self._loop, self._is_own = loop, False
            return self._loop is loop

    @property
    def running(self) -> list[Future[None]]:
        """The coroutines that are running."""
        return list(self._running)

    def close(self, patience: float) -> None:
        """Wait up to `patience` seconds for running coroutines, then cancel them and end the
        thread.

        A coroutine that closes its own loop is not waited for. With patience 0 none is.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        is_inside = threading.current_thread() is thread
        if not is_inside:
            wait(self.running, patience)
            for future in self.running:
                future.cancel()
        asyncio.run_coroutine_threadsafe(_stop_when_quiet(patience), loop)
        if patience and not is_inside:
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_run, args=(loop,), name="tocsin-receivers", daemon=True
            )
            self._thread.start()
        return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _stop_when_quiet(patience: float) -> None:
    """Stop the loop once the other tasks have finished, or after `patience` seconds."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others and patience:
        await asyncio.wait(others, timeout=patience)
    asyncio.get_running_loop().stop()
