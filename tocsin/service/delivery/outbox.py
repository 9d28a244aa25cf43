"""The outbox: stored matches by subscription and position, each with its message.

Webhooks get structured CloudEvents: a signature covers the body only, so the body has to name the
subscription.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol
from urllib.parse import quote

from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.service.base.feed import Feed
from tocsin.service.delivery.cursor import DeliveryCursor, Key
from tocsin.service.storage.results import MatchStore
from tocsin.service.storage.rows import MatchRow

MATCH_TYPE = "io.tocsin.match"
EVENT_CONTENT = "application/cloudevents+json"
BATCH_CONTENT = "application/cloudevents-batch+json"


@dataclass(frozen=True, slots=True)
class DeliveryMessage:
    """A match of a subscription: its position in the outbox, its id, which is the same in every
    attempt, and its fixed JSON object.
    """

    position: int
    id: str
    subscription: str
    match: dict[str, Any]

    def as_event(self, origin: str = "") -> dict[str, Any]:
        """Return the match as a CloudEvent; `origin` is the public address of the server."""
        event = {
            "specversion": "1.0",
            "id": self.id,
            "source": f"{origin}/v1/subscriptions/{quote(self.subscription, safe='')}",
            "type": MATCH_TYPE,
            "subject": self.subscription,
            "time": self.match.get("detected"),
            "datacontenttype": "application/json",
            "sequence": f"{self.position:020d}",
            "data": self.match,
        }
        return {name: value for name, value in event.items() if value is not None}


def single_body(notice: DeliveryMessage, origin: str = "") -> str:
    """Return one match as a structured CloudEvent."""
    return json_text(notice.as_event(origin))


def batch_body(notices: Sequence[DeliveryMessage], origin: str = "") -> str:
    """Return several matches as a batch of CloudEvents."""
    return json_text([notice.as_event(origin) for notice in notices])


def batch_id(notices: Sequence[DeliveryMessage]) -> str:
    """Return the id of a message: that of its only match, or a hash over all."""
    if len(notices) == 1:
        return notices[0].id
    return sha256("\n".join(notice.id for notice in notices).encode()).hexdigest()[:32]


class Outbox(Protocol):
    """Source of the matches to deliver."""

    def newest(self) -> int:
        """Return the highest position; 0 before the first match."""

    def owners_after(self, position: int, limit: int) -> tuple[Collection[Key], int]:
        """Return subscriptions with matches after a position, and the last one examined."""

    def read(self, line: DeliveryCursor, limit: int) -> list[DeliveryMessage]:
        """Return the first matches of a subscription behind its cursor."""


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

    def read(self, line: DeliveryCursor, limit: int) -> list[DeliveryMessage]:
        """Return matches of one subscription, oldest first."""
        tenant, subscription = line.key
        rows = self._matches.read(
            line.position, limit, tenant=tenant, subscription=subscription, version=line.since
        )
        return [notice_of(row) for row in rows]


def notice_of(row: MatchRow) -> DeliveryMessage:
    """Return the message of a stored match."""
    return DeliveryMessage(row.position, row.id, row.subscription, json.loads(row.body))
