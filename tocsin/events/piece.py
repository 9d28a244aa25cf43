"""A piece of a file of events: a line still to be decoded, or events or a problem that a reader of the file found."""

from __future__ import annotations

from typing import NamedTuple

from tocsin.errors import Problem
from tocsin.events.codecs.epcis.inside import decode_all
from tocsin.events.event import Event


class Piece(NamedTuple):
    """The text, the line that it begins in, the file where there are several, and what a reader has made of it."""

    raw: bytes
    line: int
    file: str | None = None
    found: tuple[Event, ...] | Problem | None = None

    def events(self) -> list[Event]:
        """The events of the piece; raises where it is none."""
        if self.found is None:
            return decode_all(self.raw)
        if isinstance(self.found, Problem):
            raise self.found
        return list(self.found)
