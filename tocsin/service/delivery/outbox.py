"""The outbox: stored matches by subscription and position."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Protocol

from tocsin.service.base.feed import Feed
from tocsin.service.delivery.cursor import Key
from tocsin.service.delivery.message import DeliveryMessage
from tocsin.service.storage.matches import MatchStore
from tocsin.service.storage.rows import MatchRow


class Outbox(Protocol):
    """Source of the matches to deliver."""

    def newest(self) -> int:
        """Return the highest position; 0 before the first match."""

    def owners_after(self, position: int, limit: int) -> tuple[Collection[Key], int]:
        """Return subscriptions with matches after a position, and the last one examined."""

    def read(self, key: Key, after: int, limit: int, since: int = 0) -> list[DeliveryMessage]:
        """Return the first matches of a subscription after a position, of version `since` or on."""


class StoredOutbox:
    """The stored matches as an outbox; the newest owners come from memory."""

    def __init__(self, matches: MatchStore, feed: Feed) -> None:
        self._matches = matches
        self._feed = feed

    def newest(self) -> int:
        """Return the highest position; 0 before the first match."""
        return self._matches.head()

    def owners_after(self, position: int, limit: int) -> tuple[Collection[Key], int]:
        """Return subscriptions with matches after a position, and the last one examined."""
        rows = self._feed.recent(position, limit)
        if rows is None:
            rows = self._matches.read(position, limit)
        keys = {(row.tenant, row.subscription) for row in rows}
        return keys, rows[-1].position if rows else position

    def read(self, key: Key, after: int, limit: int, since: int = 0) -> list[DeliveryMessage]:
        """Return matches of one subscription, oldest first."""
        tenant, subscription = key
        rows = self._matches.read(
            after, limit, tenant=tenant, subscription=subscription, version=since
        )
        return [notice_of(row) for row in rows]


def notice_of(row: MatchRow) -> DeliveryMessage:
    """Return the message of a stored match."""
    return DeliveryMessage(row.position, row.id, row.subscription, json.loads(row.body))
