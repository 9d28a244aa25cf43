"""Counts of each tenant and each subscription: in total, and by minute of the last hour.

The counts of an hour take constant memory, and the number of single subscriptions is bounded.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

MINUTES = 60
"""Minutes remembered, the current one included."""


class MinuteCounts:
    """A count for each of the last MINUTES minutes; minutes are numbered from 1970. Counts an hour
    older than the newest are dropped.
    """

    __slots__ = ("_counts", "newest")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * MINUTES))
        self.newest = 0

    def add(self, minute: int, count: int) -> None:
        """Add to the count of a minute; ignored if it is too old."""
        self._move_to(minute)
        if minute > self.newest - MINUTES:
            self._counts[minute % MINUTES] += count

    def put(self, minute: int, value: int) -> None:
        """Set the value of a minute; ignored if it is too old."""
        self._move_to(minute)
        if minute > self.newest - MINUTES:
            self._counts[minute % MINUTES] = value

    def at(self, minute: int) -> int:
        """Return the count of a minute; 0 if it is too old or in the future."""
        is_known = self.newest - MINUTES < minute <= self.newest
        return self._counts[minute % MINUTES] if is_known else 0

    def last(self, minute: int) -> list[int]:
        """Return the counts of the sixty minutes up to this one, oldest first."""
        passed = minute - self.newest
        if passed < 0:
            return [self.at(each) for each in range(minute - MINUTES + 1, minute + 1)]
        if passed >= MINUTES:
            return [0] * MINUTES
        oldest = (self.newest + 1) % MINUTES
        known = self._counts[oldest:] + self._counts[:oldest]
        return known.tolist()[passed:] + [0] * passed

    def _move_to(self, minute: int) -> None:
        if minute - self.newest >= MINUTES:
            self._counts = array("Q", bytes(8 * MINUTES))
        else:
            for passed in range(self.newest + 1, minute + 1):
                self._counts[passed % MINUTES] = 0
        self.newest = max(minute, self.newest)


MAX_SUBSCRIPTIONS = 200_000
"""Subscriptions counted one by one; further ones count for their tenant only."""


@dataclass(slots=True)
class Tally:
    """A total, and the counts by minute of the last hour."""

    total: int = 0
    minutes: MinuteCounts | None = None

    def add(self, minute: int, count: int) -> None:
        """Add to the count of a minute."""
        self.total += count
        if self.minutes is None:
            self.minutes = MinuteCounts()
        self.minutes.add(minute, count)

    def last(self, minute: int) -> list[int]:
        """Return the counts of the sixty minutes up to this one, oldest first."""
        return [0] * MINUTES if self.minutes is None else self.minutes.last(minute)

    def forget_old(self, minute: int) -> None:
        """Release the memory of the minutes if all are older than an hour."""
        if self.minutes is not None and self.minutes.newest <= minute - MINUTES:
            self.minutes = None


@dataclass(slots=True)
class TenantTally:
    """Counts of one tenant."""

    matches: Tally = field(default_factory=Tally)
    dead_letters: Tally = field(default_factory=Tally)
    late: int = 0
    subscriptions: dict[str, Tally] = field(default_factory=dict)


class TenantTallies:
    """Counts of each tenant."""

    def __init__(self) -> None:
        self._tenants: dict[str, TenantTally] = {}
        self._subscriptions = 0

    def of(self, tenant: str) -> TenantTally:
        """Return the counts of a tenant; zeros if it is new."""
        return self._tenants.get(tenant) or self._tenants.setdefault(tenant, TenantTally())

    def add_kept(self, tenant: str, subscription: str, count: int) -> None:
        """Add matches stored before the start to the totals."""
        self.of(tenant).matches.total += count
        if (own := self._subscription(tenant, subscription)) is not None:
            own.total += count

    def add_matches(self, tenant: str, subscription: str, minute: int, count: int) -> None:
        """Add matches of a minute."""
        self.of(tenant).matches.add(minute, count)
        if (own := self._subscription(tenant, subscription)) is not None:
            own.add(minute, count)

    def add_letters(self, tenant: str, minute: int, count: int, *, are_late: bool) -> None:
        """Add dead letters of a minute."""
        found = self.of(tenant)
        found.dead_letters.add(minute, count)
        found.late += count if are_late else 0

    def forget_old(self, minute: int) -> None:
        """Release the memory of minutes that are older than an hour."""
        for tenant in self._tenants.values():
            for each in tenant.subscriptions.values():
                each.forget_old(minute)

    def _subscription(self, tenant: str, subscription: str) -> Tally | None:
        known = self.of(tenant).subscriptions
        if subscription not in known:
            if self._subscriptions >= MAX_SUBSCRIPTIONS:
                return None
            self._subscriptions += 1
            known[subscription] = Tally()
        return known[subscription]
