"""Live matches for one listener: from a position on, in order, without gaps. Nothing is buffered
for a slow listener: the store is read at its pace.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from tocsin.service.base.feed import Feed
from tocsin.service.storage.matches import MatchStore
from tocsin.service.storage.rows import MatchRow

CHUNK = 500
PAUSE = 10.0
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
    """Yield chunks of matches after a position until the service stops; an empty list after PAUSE
    seconds without one.
    """
    position = after
    while not feed.is_closed:
        if feed.head <= position:
            head = await feed.beyond(position, PAUSE)
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
