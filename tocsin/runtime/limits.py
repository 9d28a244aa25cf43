"""Limits on what a subscription emits: on its match rate, and on the events that it constructs.

A join of everything with everything would fill the disk and delay the other subscriptions. Only the
matches beyond one per event count, so that a subscription with one match for every event never
reaches a limit. Matches that time alone emits are free up to the number of events that came and may
wait: a recurring window of a second emits for years in one step. Time is the owner's and is stored
with its steps: repeated steps suspend the same subscription at the same match.

Of the events constructed from one event each generation is bounded. Their origin is the origin of
the last event of the match in canonical order; a generation holds those that are equally many
constructions away from it. One that is larger than the limit, and larger than the first generation,
is dropped as a whole, so that the order of construction does not matter: every host drops the same
events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeVar

from tocsin.catalog.tenants import Owned
from tocsin.events.dead_letter import DeadLetter, too_many_built
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, hops_behind, hops_of
from tocsin.plan.xml.construction import MAX_OUTPUT
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


# Constructed events.

GENERATION_LIMIT = 1_000
"""The number of events that every generation may have; more if the first generation has more."""

BUILDING_LIMIT = 2 * MAX_OUTPUT
"""The number of characters of output from one origin after which further output is refused."""

Key = TypeVar("Key")
Identity = tuple[str, str]
Built = tuple[Match, Sequence[Event]]
"""A match and the events that it constructs."""


@dataclass(slots=True)
class FanOut:
    """The amounts built per origin, for the newest `remember` events and origins."""

    remember: int = 100_000
    _origins: dict[Identity, Identity] = field(default_factory=dict)
    _sizes: dict[tuple[Identity, int], int] = field(default_factory=dict)
    _characters: dict[Identity, int] = field(default_factory=dict)

    def publish(self, built: Iterable[Built]) -> tuple[list[Event], list[DeadLetter]]:
        """Return the events to publish, and a dead letter for each generation over the limit.

        All matches of one instant are given together.
        """
        events: list[Event] = []
        letters: list[DeadLetter] = []
        whole = sorted(built, key=lambda each: hops_of(each[0]))
        for hops, generation in groupby(whole, key=lambda each: hops_of(each[0])):
            for origin, group in self._by_origin(generation).items():
                if self._fits(origin, hops, sum(len(own) for _, own in group)):
                    events += self._noted(origin, group)
                else:
                    letters.append(
                        too_many_built(origin, [match.subscription for match, own in group if own])
                    )
        return events, letters

    def may_build(self, event: Event) -> bool:
        """True if more may be built from an event; always for one that was not constructed."""
        return (
            not hops_behind(event.id)
            or self._characters.get(self.origin_of(event.identity), 0) <= BUILDING_LIMIT
        )

    def note(self, event: Event, match: Match) -> None:
        """Count the output of a match towards the origin of its event."""
        if match.outputs and hops_behind(event.id):
            origin = self.origin_of(event.identity)
            _keep(self._characters, origin, sum(map(len, match.outputs)), self.remember)

    def origin_of(self, identity: Identity) -> Identity:
        """Return the received event that an event was constructed from, or the event itself."""
        return self._origins.get(identity, identity)

    def snapshot(self) -> list[list[Any]]:
        """Return the state as plain data."""
        return [list(each.items()) for each in (self._origins, self._sizes, self._characters)]

    def restore(self, state: Sequence[Iterable[Any]]) -> None:
        """Replace the state with a snapshot."""
        self._origins, self._sizes, self._characters = map(dict, state)

    def _by_origin(self, generation: Iterable[Built]) -> dict[Identity, list[Built]]:
        groups: dict[Identity, list[Built]] = {}
        for match, events in generation:
            last = (match.sources[-1], match.events[-1]) if match.events else ("", match.id)
            groups.setdefault(self.origin_of(last), []).append((match, events))
        return groups

    def _fits(self, origin: Identity, hops: int, count: int) -> bool:
        size = self._sizes.get((origin, hops), 0) + count
        if hops > 1 and size > max(GENERATION_LIMIT, self._sizes.get((origin, 1), 0)):
            return False
        _keep(self._sizes, (origin, hops), count, self.remember)
        return True

    def _noted(self, origin: Identity, group: Iterable[Built]) -> list[Event]:
        events = [event for _, own in group for event in own]
        for event in events:
            self._origins[event.identity] = origin
            if len(self._origins) > self.remember:
                del self._origins[next(iter(self._origins))]
        return events


def _keep(counts: dict[Key, int], key: Key, more: int, remember: int) -> None:
    """Add to a count; beyond `remember` counts the oldest is dropped."""
    counts[key] = counts.get(key, 0) + more
    if len(counts) > remember:
        del counts[next(iter(counts))]
