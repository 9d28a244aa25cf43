"""A limit on the matches of one subscription: a combination of everything with everything would
fill the disk and hold the others up.

Counted are the matches beyond one for each event, so that a subscription which rings once for every
event never meets the limit. Time is that of the owner, and is kept with its steps: steps that are
taken again suspend the same subscription at the same match.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tocsin.values.time import Instant

SECOND = 1_000_000
BURST_SECONDS = 2
"""Matches may come at once that the limit allows in so many seconds."""


class MatchLimit:
    """Matches that subscriptions have left: `rate` a second each; 0 for no limit."""

    __slots__ = ("_left", "_now", "rate")

    def __init__(self, rate: int = 0) -> None:
        self.rate = rate
        self._now: Instant = 0
        self._left: dict[str, tuple[int, Instant]] = {}

    def begin(self, now: Instant) -> None:
        """Set the time of what is counted next."""
        self._now = now

    def count(self, subscriptions: Iterable[str]) -> list[str]:
        """Count the matches of one event, by subscription; return those with too many."""
        matches: dict[str, int] = {}
        for each in subscriptions:
            matches[each] = matches.get(each, 0) + 1
        return [key for key, number in matches.items() if number > 1 and self._spend(key, number)]

    def _spend(self, key: str, matches: int) -> bool:
        """Take matches away; return True if there are not as many left."""
        most = BURST_SECONDS * self.rate
        left, since = self._left.get(key, (most, self._now))
        gained = max(0, self._now - since) * self.rate // SECOND
        left = min(most, left + gained) - (matches - 1)
        self._left[key] = (left, self._now)
        return left < 0

    def forget(self, key: str) -> None:
        """Forget a subscription that is gone, or begins anew."""
        self._left.pop(key, None)

    def snapshot(self) -> dict[str, list[int]]:
        """Return what is left as plain data."""
        return {key: list(left) for key, left in self._left.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a snapshot."""
        self._left = {key: (left, since) for key, (left, since) in state.items()}
