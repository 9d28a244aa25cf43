"""API keys in use: the owner of a key, cached for a moment, and its rate limits."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from tocsin.errors import LimitProblem
from tocsin.service.settings.settings import ServiceLimits
from tocsin.service.storage.keys import KeptKey, KeyStore

REMEMBERED = 2.0
"""Seconds until a key is looked up again; a revoked one may stay valid for this time."""

_MAX_KEYS = 10_000


@dataclass(slots=True)
class Bucket:
    """Token bucket of `rate` tokens a second, holding at most those of one second."""

    rate: int
    left: float = field(init=False)
    refilled_at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.left = float(self.rate)

    def take(self, count: int) -> bool:
        """Take tokens; False if none is left. A large request may overdraw the bucket, and the next
        one waits for it.
        """
        now = time.monotonic()
        self.left = min(float(self.rate), self.left + (now - self.refilled_at) * self.rate)
        self.refilled_at = now
        if self.left <= 0:
            return False
        self.left -= count
        return True


class Keyring:
    """Cache and rate limits of the keys in use."""

    def __init__(self, store: KeyStore, limits: ServiceLimits) -> None:
        self._store, self._limits = store, limits
        self._found: dict[str, tuple[float, KeptKey | None]] = {}
        self._events: dict[str, Bucket] = {}
        self._requests: dict[str, Bucket] = {}
        self._lock = threading.Lock()

    def find(self, key: str) -> KeptKey | None:
        """Return the stored key, at most REMEMBERED seconds old; None if it is not valid."""
        now = time.monotonic()
        known = self._found.get(key)
        if known is not None and now - known[0] < REMEMBERED:
            return known[1]
        found = self._store.find(key)
        with self._lock:
            if len(self._found) > _MAX_KEYS:
                self._found.clear()
            self._found[key] = (now, found)
        return found

    def ask(self, key: str) -> None:
        """Count one request; raise LimitProblem above the rate."""
        self._take(self._requests, key, self._limits.requests, 1, "requests")

    def publish(self, key: str, count: int, rate: int | None) -> None:
        """Count published events; raise LimitProblem above the rate. A `rate` of None is that of
        the settings, 0 no limit.
        """
        self._take(self._events, key, self._limits.rate if rate is None else rate, count, "events")

    def _take(self, buckets: dict[str, Bucket], key: str, rate: int, count: int, what: str) -> None:
        if not rate or not count:
            return
        with self._lock:
            bucket = buckets.get(key)
            if bucket is None or bucket.rate != rate:
                bucket = buckets[key] = Bucket(rate)
            if not bucket.take(count):
                raise LimitProblem(
                    f"more than {rate:,} {what} a second",
                    code="RateLimitExceeded",
                    hint="wait a second, then go on more slowly",
                )
