"""A thread that reads from a broker, stores and acknowledges; failures are retried.

If the log refuses more, the thread waits and reads nothing: the broker keeps the rest.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.dead_letter import shown_error
from tocsin.events.event import Event
from tocsin.service.storage.rows import NewRow

_LOG = logging.getLogger("tocsin.intake")

FIRST_WAIT = 0.2
LONGEST_WAIT = 10.0
PATIENCE = 0.5
"""Seconds that a round may wait for messages; bounds the time of `stop`."""


class EventSource(Protocol):
    """A broker that is being read."""

    def take(self) -> int:
        """Read, store and acknowledge one batch; return its size."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class IntakeWorker:
    """A component of the service that reads one broker; `open_source` connects to it."""

    def __init__(self, name: str, open_source: Callable[[], EventSource]) -> None:
        self._name, self._open = name, open_source
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"tocsin-{name}", daemon=True)
        self.taken = 0
        self.error: str | None = None

    def start(self) -> None:
        """Start the reading thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current round; return when the thread has ended."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._stopping.is_set():
            before = self.taken
            try:
                self._read()
            except Exception as error:
                self.error = str(error) if isinstance(error, Problem) else shown_error(error)
                wait = FIRST_WAIT if self.taken > before else min(LONGEST_WAIT, 2 * wait)
                _LOG.warning("%s: %s; trying again in %.1f s", self._name, self.error, wait)
                self._stopping.wait(wait)

    def _read(self) -> None:
        source = self._open()
        try:
            while not self._stopping.is_set():
                self.taken += source.take()
                self.error = None
        finally:
            source.close()


def rows_of(raw: bytes, tenant: str, read: Callable[[], list[Event]]) -> list[NewRow]:
    """Return the rows of a message, or one refused row if it is not an event. An unexpected error
    of ours is reported as one of the message.
    """
    try:
        events = read()
    except Exception as error:
        code = error.code if isinstance(error, Problem) else "InternalError"
        reason = error.message if isinstance(error, Problem) else shown_error(error)
        return [NewRow(raw, tenant, code, reason)]
    return [NewRow(encode(event).encode(), tenant, events=(event,)) for event in events]
