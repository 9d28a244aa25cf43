"""An event whose text was found valid by the scanner, and is decoded on demand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tocsin.events.event import Event
from tocsin.values.time import Interval

_NOT_CONTEXT = ("data", "data_base64", "place")
_read_text = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


class ScannedEvent(Event):
    """An event with its text and the position of its data in it; -1 if it has none.

    The scanner guarantees that the strict reader would accept the text, that the place is at most a
    plain point, and that there is no EPCIS inside, so that all views equal those of the event that
    the strict reader would make.
    """

    __slots__ = ("_begin", "_end", "raw")

    has_plain_place = True

    def __init__(
        self,
        raw: bytes,
        id: str,
        source: str,
        type: str,
        interval: Interval | None,
        begin: int,
        end: int,
        has_place: bool,
    ) -> None:
        self.id = id
        self.source = source
        self.type = type
        self.interval = interval
        self.raw = raw
        self._begin = begin
        self._end = end
        if not has_place:
            self.place_source = None
        self._place = None
        self._place_text = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Decode the data or the envelope when an empty slot is read."""
            if name == "data":
                self.data = self._read_data()
            elif name in ("envelope", "place_source"):
                self._read_envelope()
            else:
                raise AttributeError(name)
            return getattr(self, name)

    def _read_data(self) -> object:
        if self._begin < 0:
            return None
        return _read_text(self.raw[self._begin : self._end].decode(), 0)[0]

    def _read_envelope(self) -> None:
        members = json.loads(self.raw)
        self.place_source = members.get("place")
        for name in _NOT_CONTEXT:
            members.pop(name, None)
        self.envelope = {name: given for name, given in members.items() if given is not None}
