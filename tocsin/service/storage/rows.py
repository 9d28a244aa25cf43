"""Rows of the log, of matches and of dead letters."""

from __future__ import annotations

from dataclasses import dataclass, field

from tocsin.events.event import Event
from tocsin.values.time import Instant, format_instant

REPLAYED = "replayed"
"""Reason of a row without a code: its event is matched even if it is a duplicate."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row to append: a CloudEvents JSON text, or a refused text with code and reason.

    `events` are the events decoded from it already, if any.
    """

    body: bytes
    tenant: str = ""
    code: str | None = None
    reason: str | None = None
    events: tuple[Event, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of the log with its position and receive time."""

    position: int
    received: Instant
    body: bytes
    tenant: str = ""
    code: str | None = None
    reason: str | None = None
    events: tuple[Event, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A stored match; `body` is its JSON text, `version` that of the catalog at the time."""

    position: int
    id: str
    tenant: str
    subscription: str
    detected: Instant | None
    stored: Instant
    body: str
    members: str = "[]"
    version: int = 0


@dataclass(frozen=True, slots=True)
class LetterRow:
    """A stored dead letter."""

    position: int
    tenant: str
    subscription: str | None
    code: str
    reason: str
    input: str
    event: int | None
    stored: Instant
    replayed: Instant | None = None

    def as_json(self) -> dict[str, object]:
        """Return the JSON object for the API."""
        return {
            "id": self.position,
            "code": self.code,
            "reason": self.reason,
            "input": self.input,
            "subscription": self.subscription,
            "event": self.event,
            "stored": format_instant(self.stored),
            "replayed": None if self.replayed is None else format_instant(self.replayed),
        }
