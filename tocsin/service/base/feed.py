"""The feed of stored matches: threads and event loops learn up to which position there are some.

The newest matches are held in memory, so that followers need not query the database. Those of other
processes are found by polling. A stream gives them to one listener from a position on, in order and
without gaps; nothing is buffered for a slow one, since the store is read at its pace.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tocsin.service.storage.results import MatchStore
from tocsin.service.storage.rows import MatchRow

RECENT = 20_000
"""Newest matches that are held in memory."""

_Waiter = asyncio.Future[None]


class Feed:
    """Notification of new matches; `head` is the position of the newest stored one."""

    def __init__(self, head: int = 0) -> None:
        self.head = head
        self._recent: deque[MatchRow] = deque(maxlen=RECENT)
        self._changed = threading.Condition()
        self._waiters: dict[asyncio.AbstractEventLoop, set[_Waiter]] = {}
        self.is_closed = False

    def publish(self, rows: Sequence[MatchRow]) -> None:
        """Announce matches that this process has just stored."""
        if not rows:
            return
        with self._changed:
            if self._recent and self._recent[-1].position + 1 != rows[0].position:
                self._recent.clear()
            self._recent.extend(rows)
            self.head = max(self.head, rows[-1].position)
            self._wake()

    def notice(self, head: int) -> None:
        """Announce that another process has stored matches up to a position."""
        with self._changed:
            if head > self.head:
                self.head = head
                self._recent.clear()
                self._wake()

    def close(self) -> None:
        """Wake all waiting followers for good."""
        with self._changed:
            self.is_closed = True
            self._wake()

    def recent(self, after: int, limit: int) -> list[MatchRow] | None:
        """Return at most `limit` matches after a position, of all tenants; None where memory does
        not reach back that far.
        """
        with self._changed:
            if after >= self.head:
                return []
            if not self._recent or self._recent[0].position > after + 1:
                return None
            start = after + 1 - self._recent[0].position
            return list(islice(self._recent, start, start + limit))

    def wait_beyond(self, position: int, timeout: float | None = None) -> int:
        """Wait in a thread for a match after a position; return the head. Waits at most `timeout`
        seconds, and ends when the feed closes.
        """
        with self._changed:
            if self.head <= position and not self.is_closed:
                self._changed.wait(timeout)
            return self.head

    async def beyond(self, position: int, timeout: float | None = None) -> int:
        """Wait on an event loop for a match after a position; return the head, as `wait_beyond`."""
        loop = asyncio.get_running_loop()
        with self._changed:
            if self.head > position or self.is_closed:
                return self.head
            waiter: _Waiter = loop.create_future()
            self._waiters.setdefault(loop, set()).add(waiter)
        try:
            await asyncio.wait_for(waiter, timeout)
        except TimeoutError:
            pass
        finally:
            with self._changed:
                self._waiters.get(loop, set()).discard(waiter)
        return self.head

    def _wake(self) -> None:
        self._changed.notify_all()
        waiters, self._waiters = self._waiters, {}
        for loop, waiting in waiters.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, waiting)


def _resolve(waiting: set[_Waiter]) -> None:
    for waiter in list(waiting):
        if not waiter.done():
            waiter.set_result(None)


# Live matches for one listener.

CHUNK = 500
IDLE_SECONDS = 10.0
"""Seconds without a match after which the listener gets a sign of life."""


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Filter of matches: a tenant and its subscriptions; all of them if none is named."""

    tenant: str
    subscriptions: frozenset[str] = frozenset()

    def fits(self, row: MatchRow) -> bool:
        """True if a match passes the filter."""
        return row.tenant == self.tenant and (
            not self.subscriptions or row.subscription in self.subscriptions
        )


async def stream_matches(
    matches: MatchStore, feed: Feed, wanted: MatchFilter, after: int
) -> AsyncIterator[list[MatchRow]]:
    """Yield chunks of matches after a position until the service stops; an empty list after
    IDLE_SECONDS without one.
    """
    position = after
    while not feed.is_closed:
        if feed.head <= position:
            head = await feed.beyond(position, IDLE_SECONDS)
            if head <= position:
                yield []
            continue
        rows = feed.recent(position, CHUNK)
        if rows is None:
            rows = await asyncio.to_thread(matches.read, position, CHUNK)
        if not rows:
            await asyncio.sleep(0.01)
            continue
        position = rows[-1].position
        found = [row for row in rows if wanted.fits(row)]
        if found:
            yield found
