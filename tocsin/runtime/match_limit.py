"""Limits on the match rate of a subscription and of a tenant.

A join of everything with everything would fill the disk and delay the other subscriptions. Only the
matches beyond one per event count, so that a subscription with one match for every event never
reaches a limit. Matches that time alone emits are free up to the number of events that came and may
wait: a recurring window of a second emits for years in one step. Time is the owner's and is stored
with its steps: repeated steps suspend the same subscription at the same match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tocsin.catalog.tenants import Owned
from tocsin.values.time import Instant

SECOND = 1_000_000
BURST_SECONDS = 2
"""The size of a burst: the matches that the rate allows in two seconds."""

FREE_BY_TIME = 100_000
"""Matches that the clock may emit at once for a subscription: one for each event that a service may
buffer.
"""


class TokenBuckets:
    """Token buckets by key: each holds `BURST_SECONDS` of the `rate`; 0 for no limit."""

    __slots__ = ("_left", "rate")

    def __init__(self, rate: int = 0) -> None:
        self.rate = rate
        self._left: dict[str, tuple[int, Instant]] = {}

    def spend(self, key: str, count: int, now: Instant) -> bool:
        """Take tokens of a key; return True if it did not have enough."""
        if not self.rate:
            return False
        most = BURST_SECONDS * self.rate
        left, since = self._left.get(key, (most, now))
        gained = max(0, now - since) * self.rate // SECOND
        left = min(most, left + gained) - count
        self._left[key] = (left, now)
        return left < 0

    def forget(self, key: str) -> None:
        """Fill the bucket of a key again."""
        self._left.pop(key, None)

    def snapshot(self) -> dict[str, list[int]]:
        """Return the tokens left as plain data."""
        return {key: list(left) for key, left in self._left.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the buckets with a snapshot."""
        self._left = {key: (left, since) for key, (left, since) in state.items()}


class _Free:
    """Matches that the clock may emit: one more for each event, at most `FREE_BY_TIME`."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left: dict[str, tuple[int, int]] = {}

    def take(self, key: str, count: int, events: int) -> int:
        """Take up to `count`, after that number of events; return the number that was missing."""
        left, since = self._left.get(key, (FREE_BY_TIME, events))
        left = min(FREE_BY_TIME, left + events - since)
        self._left[key] = (max(0, left - count), events)
        return max(0, count - left)

    def forget(self, key: str) -> None:
        """Reset a key to `FREE_BY_TIME`."""
        self._left.pop(key, None)

    def snapshot(self) -> dict[str, list[int]]:
        """Return what is left as plain data."""
        return {key: list(left) for key, left in self._left.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace what is left with a snapshot."""
        self._left = {key: (left, since) for key, (left, since) in state.items()}


class MatchLimit:
    """The matches that subscriptions and tenants have left, beyond one per event."""

    __slots__ = ("_free", "_now", "events", "is_on", "subscriptions", "tenants")

    def __init__(self, rate: int = 0, tenant_rate: int = 0) -> None:
        self.is_on = bool(rate or tenant_rate)
        """True if there is any limit."""
        self.events = 0
        """The number of events that came; the caller counts them."""
        self._now: Instant = 0
        self._free = _Free()
        self.subscriptions = TokenBuckets(rate)
        self.tenants = TokenBuckets(tenant_rate)

    def begin(self, now: Instant) -> None:
        """Set the time at which the next matches are counted."""
        self._now = now

    def count(self, subscriptions: Iterable[str]) -> dict[str, str]:
        """Count the matches of one event; return the limit exceeded, in words, by subscription."""
        return self._spend_all({key: n - 1 for key, n in Counter(subscriptions).items()})

    def count_by_time(self, subscriptions: Iterable[str]) -> dict[str, str]:
        """Count matches emitted by the clock; return the same."""
        matches = Counter(subscriptions)
        return self._spend_all(
            {key: self._free.take(key, n, self.events) for key, n in matches.items()}
        )

    def _spend_all(self, counts: Mapping[str, int]) -> dict[str, str]:
        passed = {key: self._spend(key, n) for key, n in counts.items() if n}
        return {key: limit for key, limit in passed.items() if limit}

    def _spend(self, key: str, count: int) -> str:
        """Count for a subscription and its tenant; return the limit exceeded, or ""."""
        is_over = self.subscriptions.spend(key, count, self._now)
        is_tenant_over = self.tenants.spend(Owned.of_key(key).tenant, count, self._now)
        if is_over:
            return f"it has more than {self.subscriptions.rate:,} matches a second"
        if is_tenant_over:
            return f"its tenant has more than {self.tenants.rate:,} matches a second"
        return ""

    def forget(self, key: str) -> None:
        """Reset the bucket of a subscription that was removed or restarts; its tenant's bucket
        stays.
        """
        self.subscriptions.forget(key)
        self._free.forget(key)

    def snapshot(self) -> dict[str, Any]:
        """Return the tokens left as plain data."""
        return {
            "subscriptions": self.subscriptions.snapshot(),
            "tenants": self.tenants.snapshot(),
            "free": {"events": self.events, "left": self._free.snapshot()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the buckets with a snapshot; one of a service without limits is empty."""
        self.subscriptions.restore(state.get("subscriptions", {}))
        self.tenants.restore(state.get("tenants", {}))
        free = state.get("free", {})  # earlier versions had none
        self.events = free.get("events", 0)
        self._free.restore(free.get("left", {}))
