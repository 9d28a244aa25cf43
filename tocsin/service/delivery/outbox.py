"""The outbox: matches as they are stored, by subscription and position."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Protocol

from tocsin.service.base.feed import Feed
from tocsin.service.delivery.cursor import Key
from tocsin.service.delivery.message import Notice
from tocsin.service.storage.matches import MatchStore
from tocsin.service.storage.rows import MatchRow


class Outbox(Protocol):
    """Where matches wait."""

    def newest(self) -> int:
        """The highest position; 0 where there is none."""

    def owners_after(self, position: int, limit: int) -> tuple[Collection[Key], int]:
        """Whose matches come after a position, and the position up to which that was looked at."""

    def read(self, key: Key, after: int, limit: int, since: int = 0) -> list[Notice]:
        """The first matches of a subscription after a position, of a version or later ones."""


class StoredOutbox:
    """The matches that were kept, as an outbox; the newest come from memory."""

    def __init__(self, matches: MatchStore, feed: Feed) -> None:
        self._matches = matches
        self._feed = feed

    def newest(self) -> int:
        """The highest position."""
        return self._matches.head()

    def owners_after(self, position: int, limit: int) -> tuple[Collection[Key], int]:
        """Whose matches come next."""
        rows = self._feed.recent(position, limit)
        if rows is None:
            rows = self._matches.read(position, limit)
        keys = {(row.tenant, row.subscription) for row in rows}
        return keys, rows[-1].position if rows else position

    def read(self, key: Key, after: int, limit: int, since: int = 0) -> list[Notice]:
        """Matches of one subscription, oldest first."""
        tenant, subscription = key
        rows = self._matches.read(
            after, limit, tenant=tenant, subscription=subscription, version=since
        )
        return [notice_of(row) for row in rows]


def notice_of(row: MatchRow) -> Notice:
    """A match that was kept, as it is delivered."""
    return Notice(row.position, row.id, row.subscription, json.loads(row.body))
