"""The pace of sending: how many messages at a time, and the pauses between attempts.

Slots are bounded in total and per receiver. Failing receivers have slots of their own, so that
healthy ones need not wait for them. Pauses are an exponential backoff with full jitter, not before
the receiver's `Retry-After`, never beyond a bound.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import random

from tocsin.errors import MeaningProblem


@dataclass(slots=True)
class _Gate:
    """The slots of one receiver, as long as one is used or awaited."""

    turns: asyncio.Semaphore
    users: int = 0


@dataclass(slots=True)
class SendSlots:
    """`at_once` sends under way, `failing` more to receivers that failed the last time, and at most
    `to_one` of all these to the same receiver.
    """

    at_once: int = 256
    failing: int = 64
    to_one: int = 8
    _sound: asyncio.Semaphore = field(init=False)
    _unsound: asyncio.Semaphore = field(init=False)
    _gates: dict[str, _Gate] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._sound = asyncio.Semaphore(self.at_once)
        self._unsound = asyncio.Semaphore(self.failing)

    @asynccontextmanager
    async def acquire(self, receiver: str, *, failing: bool) -> AsyncIterator[None]:
        """Hold a send slot. Waiting for a receiver takes no slot from others."""
        gate = self._gates.setdefault(receiver, _Gate(asyncio.Semaphore(self.to_one)))
        gate.users += 1
        try:
            async with gate.turns, self._unsound if failing else self._sound:
                yield
        finally:
            gate.users -= 1
            if not gate.users:
                self._gates.pop(receiver, None)


# Pauses between attempts.


@dataclass(frozen=True, slots=True)
class Backoff:
    """At most `tries` attempts; before attempt n a random wait up to `first * 2 ** (n - 2)`
    seconds, at most `longest`.

    The defaults span about three and a half hours on average, so that a receiver may be away for an
    hour. `longest_asked` bounds the wait that a receiver may request.
    """

    tries: int = 50
    first: float = 1.0
    longest: float = 600.0
    longest_asked: float = 3600.0

    def __post_init__(self) -> None:
        if self.tries < 1 or min(self.first, self.longest, self.longest_asked) < 0:
            raise MeaningProblem(
                f"a delivery is tried once or more, after waits of 0 s or more, got {self}",
                code="SettingError",
            )

    def wait(
        self, failed: int, retry_after: float | None = None, draw: Callable[[], float] = random
    ) -> float:
        """Return the seconds to wait after failed attempts; `retry_after` is what the receiver
        asked."""
        doublings = min(max(failed - 1, 0), 64)
        most = min(self.longest, self.first * 2.0**doublings)
        return max(most * draw(), min(retry_after or 0.0, self.longest_asked))

    def is_last(self, failed: int) -> bool:
        """True if no attempt is left after this number of failed ones."""
        return failed >= self.tries


def read_retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds that `Retry-After` requests, as a number or a date; None for any other
    text.
    """
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (zoned - now).total_seconds())
