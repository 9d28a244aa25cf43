"""The message of a match: its position in the outbox, and the CloudEvent for the receiver.

Webhooks get structured CloudEvents: a signature covers the body only, so the body has to name the
subscription.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from tocsin.events.codecs.base.cloudevents import json_text

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
