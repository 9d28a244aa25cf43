"""When to try again: exponential backoff with full jitter, not before the receiver asks, never
beyond a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import random

from tocsin.errors import MeaningProblem


@dataclass(frozen=True, slots=True)
class Backoff:
    """At most `tries` tries; before try n a random time up to `first * 2 ** (n - 2)` seconds, at
    most `longest`.

    The defaults span about three and a half hours, so that a receiver may be away for an hour.
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
        self, failed: int, asked: float | None = None, draw: Callable[[], float] = random
    ) -> float:
        """Seconds to wait after so many failed tries; `asked` is what the receiver wishes."""
        doublings = min(max(failed - 1, 0), 64)
        most = min(self.longest, self.first * 2.0**doublings)
        return max(most * draw(), min(asked or 0.0, self.longest_asked))

    def is_last(self, failed: int) -> bool:
        """Whether no try is left after so many failed ones."""
        return failed >= self.tries


def seconds_asked(header: str | None, now: datetime) -> float | None:
    """What `Retry-After` asks for, in seconds from now: a number or a date; None where it is
    neither.
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
