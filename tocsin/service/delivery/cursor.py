"""The delivery cursor of one subscription: position, failures, and the JSON for its owner."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from tocsin.service.delivery.signing import make_secret
from tocsin.values.time import Instant, format_instant

OVERLAP = 24 * 3600 * 1_000_000
"""Microseconds after a change of secrets in which messages are signed with the previous one as
well.
"""

Key = tuple[str, str]
"""Tenant and subscription."""


@dataclass(frozen=True, slots=True)
class DeliveryCursor:
    """The delivery cursor of a subscription as it is stored."""

    tenant: str
    subscription: str
    deliver: str
    changed: int
    paused: bool
    position: int
    failed: int = 0
    not_before: Instant = 0
    reason: str | None = None
    ended: str | None = None
    delivered: int = 0
    buried: int = 0
    generation: int = 1
    rotated: Instant = 0
    moved: int = 0
    since: int = 0

    @property
    def key(self) -> Key:
        """Tenant and subscription."""
        return self.tenant, self.subscription

    @property
    def is_open(self) -> bool:
        """True if matches are to be delivered: not paused, not ended."""
        return not self.paused and self.ended is None

    @property
    def destination(self) -> dict[str, Any]:
        """The `deliver` object of the subscription."""
        found: dict[str, Any] = json.loads(self.deliver)
        return found

    def after_success(self, position: int, count: int) -> DeliveryCursor:
        """Return the cursor after matches up to a position were delivered."""
        return replace(
            self,
            position=position,
            delivered=self.delivered + count,
            failed=0,
            not_before=0,
            reason=None,
        )

    def after_failure(self, reason: str, not_before: Instant) -> DeliveryCursor:
        """Return the cursor after a failed attempt."""
        return replace(self, failed=self.failed + 1, not_before=not_before, reason=reason)

    def after_dead_letter(self, position: int, count: int) -> DeliveryCursor:
        """Return the cursor after matches up to a position became dead letters.

        Attempts count from 0 again; the reason stays, so that the receiver still counts as failing.
        """
        return replace(self, position=position, buried=self.buried + count, failed=0, not_before=0)

    def after_end(self, reason: str) -> DeliveryCursor:
        """Return the cursor after the receiver has ended its deliveries."""
        return replace(self, ended=reason, reason=reason)

    def merge(self, known: DeliveryCursor) -> DeliveryCursor:
        """Return the stored cursor, merged with the unsaved progress of a worker.

        If the owner has set the position, that one applies.
        """
        is_moved = self.moved != known.moved
        return replace(
            self,
            position=self.position if is_moved else max(self.position, known.position),
            delivered=max(self.delivered, known.delivered),
            buried=max(self.buried, known.buried),
        )

    def secrets(self, key: bytes, now: Instant) -> list[str]:
        """Return the secrets to sign with, newest first; for OVERLAP after a change also the
        previous one.
        """
        old = self.generation > 1 and now < self.rotated + OVERLAP
        generations = [self.generation, self.generation - 1] if old else [self.generation]
        return [
            make_secret(key, "webhook", self.tenant, self.subscription, str(each))
            for each in generations
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object for the owner."""
        waits = self.not_before if self.failed and self.is_open else 0
        return {
            "subscription": self.subscription,
            "deliver": self.destination,
            "state": self._state(),
            "position": self.position,
            "delivered": self.delivered,
            "buried": self.buried,
            "failed": self.failed,
            "reason": self.reason,
            "next_try": format_instant(waits) if waits else None,
        }

    def _state(self) -> str:
        if self.ended is not None:
            return "ended"
        if self.paused:
            return "paused"
        return "failing" if self.failed else "active"
