"""A worker that reads from a broker, stores and acknowledges; failures are retried.

If the log refuses more, the worker waits and reads nothing: the broker keeps the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import encode
from tocsin.events.dead_letter import shown_error
from tocsin.events.event import Event
from tocsin.service.base.worker import BackgroundWorker
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


class IntakeWorker(BackgroundWorker):
    """A component of the service that reads one broker; `open_source` connects to it.

    A round reads one batch. A failure closes the connection; the next round opens another.
    """

    def __init__(self, name: str, open_source: Callable[[], EventSource]) -> None:
        super().__init__(
            name,
            self._take,
            _LOG,
            first_wait=FIRST_WAIT,
            longest_wait=LONGEST_WAIT,
            finish=self._close,
        )
        self._open = open_source
        self._source: EventSource | None = None

    def _take(self) -> None:
        if self._source is None:
            self._source = self._open()
        try:
            self._source.take()
        except Exception:
            self._close()
            raise

    def _close(self) -> None:
        source, self._source = self._source, None
        if source is not None:
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
