"""What goes into the log and comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tocsin.events.event import Event
from tocsin.values.time import Instant, format_instant

REPLAYED = "replayed"
"""The reason of a row that was refused by nobody: its event is to be served though it came before.
"""


@dataclass(frozen=True, slots=True)
class NewRow:
    """Something to append: a CloudEvents JSON text, or one that was refused, with the code and the
    reason.

    `events` is what was decoded of it already, so that nobody has to do it twice.
    """

    body: bytes
    tenant: str = ""
    code: str | None = None
    reason: str | None = None
    events: tuple[Event, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row of the log: its position, and when it was received."""

    position: int
    received: Instant
    body: bytes
    tenant: str = ""
    code: str | None = None
    reason: str | None = None
    events: tuple[Event, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as it is kept; `body` is its JSON text, `version` that of the catalog at the time."""

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
    """A dead letter as it is kept."""

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
        """What its owner is told of it."""
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
