"""The line of one subscription: what is known of its deliveries, and what its owner may see."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from tocsin.service.delivery.signing import make_secret
from tocsin.values.time import Instant, format_instant

OVERLAP = 24 * 3600 * 1_000_000
"""For so long after a change of secrets messages are signed with the one before as well."""

Key = tuple[str, str]
"""Tenant and subscription."""


@dataclass(frozen=True, slots=True)
class Line:
    """The deliveries of a subscription as they are stored."""

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
        """Whether anything is to be delivered at present."""
        return not self.paused and self.ended is None

    @property
    def destination(self) -> dict[str, Any]:
        """What `deliver` of the subscription says."""
        found: dict[str, Any] = json.loads(self.deliver)
        return found

    def after_success(self, position: int, count: int) -> Line:
        """The line when matches up to a position were taken."""
        return replace(
            self,
            position=position,
            delivered=self.delivered + count,
            failed=0,
            not_before=0,
            reason=None,
        )

    def after_failure(self, reason: str, not_before: Instant) -> Line:
        """The line when a try failed."""
        return replace(self, failed=self.failed + 1, not_before=not_before, reason=reason)

    def after_burial(self, position: int, count: int) -> Line:
        """The line when matches up to a position became dead letters.

        The tries begin anew, what is known of the receiver stays.
        """
        return replace(self, position=position, buried=self.buried + count, failed=0, not_before=0)

    def after_end(self, reason: str) -> Line:
        """The line when the receiver wants no more."""
        return replace(self, ended=reason, reason=reason)

    def joined(self, known: Line) -> Line:
        """The line as it is stored, with what a worker knows and has not stored yet; where its
        owner set the position, that is the one.
        """
        is_moved = self.moved != known.moved
        return replace(
            self,
            position=self.position if is_moved else max(self.position, known.position),
            delivered=max(self.delivered, known.delivered),
            buried=max(self.buried, known.buried),
        )

    def secrets(self, key: bytes, now: Instant) -> list[str]:
        """The newest secret first; the one before it for a while after a change."""
        old = self.generation > 1 and now < self.rotated + OVERLAP
        generations = [self.generation, self.generation - 1] if old else [self.generation]
        return [
            make_secret(key, "webhook", self.tenant, self.subscription, str(each))
            for each in generations
        ]

    def as_json(self) -> dict[str, Any]:
        """What the owner sees."""
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
