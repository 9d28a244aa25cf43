"""An item of a file of events: a line to decode, or the events or problem from a reader."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tocsin.errors import Problem
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event

DecodedItem: TypeAlias = tuple[Event, ...] | Problem | None
"""The events or the problem that a reader has decoded from a text; None if still to be decoded."""


class FileItem(NamedTuple):
    """The text, its first line number, its file if there are several, and the decoded result."""

    raw: bytes
    line: int
    file: str | None = None
    found: DecodedItem = None

    def events(self) -> list[Event]:
        """Return the events of the item; raises if it is not an event."""
        return events_in(self.raw, self.found)


def events_in(raw: bytes, made: DecodedItem = None) -> list[Event]:
    """Return the events of a text, decoded already or now; raises if it is not an event."""
    if made is None:
        return decode_all(raw)
    if isinstance(made, Problem):
        raise made
    return list(made)
