"""Limits on the matches of a subscription and of a tenant: a combination of everything with
everything would fill the disk and hold the others up.

Counted are the matches beyond one for each event, so that a subscription which rings once for every
event never meets a limit. Matches that time brings about are free as long as there are not more of
them than events came and than may wait: a window that comes again every second rings for years in
one step. Time is that of the owner, and is kept with its steps: steps that are taken again suspend
the same subscription at the same match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tocsin.catalog.tenants import Owned
from tocsin.values.time import Instant

SECOND = 1_000_000
BURST_SECONDS = 2
"""Matches may come at once that the limit allows in two seconds."""

FREE_BY_TIME = 100_000
"""Matches of a subscription that time may bring about at once: one for each occurrence that may
wait in a service.
"""


class TokenBuckets:
    """Token buckets by key: each holds `BURST_SECONDS` of the `rate`; 0 for no limit."""

    __slots__ = ("_left", "rate")

    def __init__(self, rate: int = 0) -> None:
        self.rate = rate
        self._left: dict[str, tuple[int, Instant]] = {}

    def spend(self, key: str, count: int, now: Instant) -> bool:
        """Take tokens of a key; return True if it did not have as many."""
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
        """Return what is left as plain data."""
        return {key: list(left) for key, left in self._left.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a snapshot."""
        self._left = {key: (left, since) for key, (left, since) in state.items()}


class _Free:
    """Matches that time may bring about: one more for each event, `FREE_BY_TIME` at most."""

    __slots__ = ("_left", "events")

    def __init__(self) -> None:
        self.events = 0
        self._left: dict[str, tuple[int, int]] = {}

    def take(self, key: str, count: int) -> int:
        """Take as many as there are; return how many more were asked for."""
        left, since = self._left.get(key, (FREE_BY_TIME, self.events))
        left = min(FREE_BY_TIME, left + self.events - since)
        self._left[key] = (max(0, left - count), self.events)
        return max(0, count - left)

    def forget(self, key: str) -> None:
        """Give a key all that may be free again."""
        self._left.pop(key, None)

    def snapshot(self) -> dict[str, Any]:
        """Return what is left as plain data."""
        return {"events": self.events, "left": {key: list(n) for key, n in self._left.items()}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a snapshot; an empty one is that of an earlier version."""
        self.events = state.get("events", 0)
        self._left = {key: (left, since) for key, (left, since) in state.get("left", {}).items()}


class MatchLimit:
    """Matches that subscriptions and tenants have left, beyond one for each event."""

    __slots__ = ("_free", "_now", "subscriptions", "tenants")

    def __init__(self, rate: int = 0, tenant_rate: int = 0) -> None:
        self._now: Instant = 0
        self._free = _Free()
        self.subscriptions = TokenBuckets(rate)
        self.tenants = TokenBuckets(tenant_rate)

    @property
    def is_on(self) -> bool:
        """True if there is a limit at all."""
        return bool(self.subscriptions.rate or self.tenants.rate)

    def begin(self, now: Instant) -> None:
        """Set the time of what is counted next."""
        self._now = now

    def note_events(self, count: int) -> None:
        """Count events that came."""
        self._free.events += count

    def count(self, subscriptions: Iterable[str]) -> dict[str, str]:
        """Count the matches of one event, by subscription; return those with too many, each with
        the limit that it has passed, in words.
        """
        return self._spend_all({key: n - 1 for key, n in Counter(subscriptions).items()})

    def count_by_time(self, subscriptions: Iterable[str]) -> dict[str, str]:
        """Count matches that time brings about; return the same."""
        matches = Counter(subscriptions)
        return self._spend_all({key: self._free.take(key, n) for key, n in matches.items()})

    def _spend_all(self, counts: Mapping[str, int]) -> dict[str, str]:
        passed = {key: self._spend(key, n) for key, n in counts.items() if n}
        return {key: limit for key, limit in passed.items() if limit}

    def _spend(self, key: str, count: int) -> str:
        """Count for a subscription and its tenant; return the limit that is passed, or ""."""
        is_over = self.subscriptions.spend(key, count, self._now)
        is_tenant_over = self.tenants.spend(Owned.of_key(key).tenant, count, self._now)
        if is_over:
            return f"it has more than {self.subscriptions.rate:,} matches a second"
        if is_tenant_over:
            return f"its tenant has more than {self.tenants.rate:,} matches a second"
        return ""

    def forget(self, key: str) -> None:
        """Forget a subscription that is gone, or begins anew; its tenant is not forgiven."""
        self.subscriptions.forget(key)
        self._free.forget(key)

    def snapshot(self) -> dict[str, Any]:
        """Return what is left as plain data."""
        return {
            "subscriptions": self.subscriptions.snapshot(),
            "tenants": self.tenants.snapshot(),
            "free": self._free.snapshot(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a snapshot; an empty one is that of a service without limits."""
        self.subscriptions.restore(state.get("subscriptions", {}))
        self.tenants.restore(state.get("tenants", {}))
        self._free.restore(state.get("free", {}))
