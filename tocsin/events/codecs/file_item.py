"""A piece of a file of events: a line still to be decoded, or events or a problem that a reader of
the file found.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tocsin.errors import Problem
from tocsin.events.codecs.decode import decode_all
from tocsin.events.event import Event

Made: TypeAlias = tuple[Event, ...] | Problem | None
"""What a reader has made of a text already."""


class Piece(NamedTuple):
    """The text, the line that it begins in, the file where there are several, and what a reader has
    made of it.
    """

    raw: bytes
    line: int
    file: str | None = None
    found: Made = None

    def events(self) -> list[Event]:
        """The events of the piece; raises where it is none."""
        return events_in(self.raw, self.found)


def events_in(raw: bytes, made: Made = None) -> list[Event]:
    """The events of a text of which a reader may have made something; raises where it is none."""
    if made is None:
        return decode_all(raw)
    if isinstance(made, Problem):
        raise made
    return list(made)
