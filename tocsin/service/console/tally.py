"""What was counted for each tenant and each subscription: altogether, and in the last hour. There
is a bound to how many subscriptions are remembered one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tocsin.service.console.minutes import MINUTES, MinuteCounts

MOST_SUBSCRIPTIONS = 200_000
"""Subscriptions beyond it are counted with their tenant only."""


@dataclass(slots=True)
class Tally:
    """A count, and how it came about in the last hour."""

    total: int = 0
    minutes: MinuteCounts | None = None

    def add(self, minute: int, count: int) -> None:
        """So many more in a minute."""
        self.total += count
        if self.minutes is None:
            self.minutes = MinuteCounts()
        self.minutes.add(minute, count)

    def last(self, minute: int) -> list[int]:
        """The counts of the sixty minutes up to this one, oldest first."""
        return [0] * MINUTES if self.minutes is None else self.minutes.last(minute)

    def forget_old(self, minute: int) -> None:
        """Gives the room of the minutes back where nothing came within the hour."""
        if self.minutes is not None and self.minutes.newest <= minute - MINUTES:
            self.minutes = None


@dataclass(slots=True)
class TenantTally:
    """What concerns one tenant."""

    matches: Tally = field(default_factory=Tally)
    dead_letters: Tally = field(default_factory=Tally)
    late: int = 0
    subscriptions: dict[str, Tally] = field(default_factory=dict)


class TenantTallies:
    """What concerns each tenant."""

    def __init__(self) -> None:
        self._tenants: dict[str, TenantTally] = {}
        self._subscriptions = 0

    def of(self, tenant: str) -> TenantTally:
        """What concerns a tenant."""
        return self._tenants.get(tenant) or self._tenants.setdefault(tenant, TenantTally())

    def add_kept(self, tenant: str, subscription: str, count: int) -> None:
        """So many matches were kept before anybody counted."""
        self.of(tenant).matches.total += count
        if (own := self._subscription(tenant, subscription)) is not None:
            own.total += count

    def add_matches(self, tenant: str, subscription: str, minute: int, count: int) -> None:
        """So many matches more."""
        self.of(tenant).matches.add(minute, count)
        if (own := self._subscription(tenant, subscription)) is not None:
            own.add(minute, count)

    def add_letters(self, tenant: str, minute: int, count: int, *, are_late: bool) -> None:
        """So many dead letters more."""
        found = self.of(tenant)
        found.dead_letters.add(minute, count)
        found.late += count if are_late else 0

    def forget_old(self, minute: int) -> None:
        """Gives room back where nothing came within the hour."""
        for tenant in self._tenants.values():
            for each in tenant.subscriptions.values():
                each.forget_old(minute)

    def _subscription(self, tenant: str, subscription: str) -> Tally | None:
        known = self.of(tenant).subscriptions
        if subscription not in known:
            if self._subscriptions >= MOST_SUBSCRIPTIONS:
                return None
            self._subscriptions += 1
            known[subscription] = Tally()
        return known[subscription]
