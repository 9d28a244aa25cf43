"""Matches as they come, for one who listens: from a position on, in order, none left out. Nothing
is held for a listener that is slow: it is read when it asks.
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
"""Seconds without a match after which the listener is told that all is well."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose matches, and of which subscriptions; none named for all."""

    tenant: str
    subscriptions: frozenset[str] = frozenset()

    def fits(self, row: MatchRow) -> bool:
        """Whether the match is among them."""
        return row.tenant == self.tenant and (
            not self.subscriptions or row.subscription in self.subscriptions
        )


async def follow(
    matches: MatchStore, feed: Feed, wanted: Wanted, after: int
) -> AsyncIterator[list[MatchRow]]:
    """Matches after a position, for ever; an empty list where there were none for a while. It ends
    when the service stops.
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
