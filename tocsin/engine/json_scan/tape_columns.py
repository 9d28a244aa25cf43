"""The scanned events of a batch as columns, together with those of the strict reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tocsin.engine.index.encoding import Distinct, Encoding, encoding_of_values, number_values
from tocsin.engine.index.kernels import Ints
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS
from tocsin.engine.json_scan.lazy_events import ScannedEvents
from tocsin.engine.json_scan.scanner import TOKEN, JsonToken
from tocsin.engine.json_scan.tape import MAX_BATCH_BYTES, Tape, tape_of
from tocsin.events.event import ENVELOPE, Event, Path
from tocsin.events.scanned import ScannedEvent
from tocsin.values.scalars import Kind
from tocsin.values.space import Places, points

_NOT_CONTEXT = ("data", "data_base64", "place")


def is_in_text(path: Path) -> bool:
    """True if an attribute is in the text of an event as it is, and not computed."""
    return path[0] != ENVELOPE or len(path) == 2


def read_columns_if_many(events: Sequence[Event]) -> TapeColumns | None:
    """Return events whose columns come from their texts.

    None if there are few scanned texts, or too many bytes.
    """
    if len(events) < MIN_TEXTS:
        return None
    texts = _texts(events)
    without = texts.count(b"")
    if len(events) - without < MIN_TEXTS or sum(map(len, texts)) > MAX_BATCH_BYTES:
        return None
    others = [number for number, text in enumerate(texts) if not text] if without else []
    return TapeColumns(events, tape_of(texts), others)


def _texts(events: Sequence[Event]) -> list[bytes]:
    if isinstance(events, ScannedEvents):
        return events.texts()
    return [event.raw if type(event) is ScannedEvent else b"" for event in events]


class TapeColumns:
    """Events on a tape, and the numbers of the `others`, which are not on it."""

    __slots__ = ("_events", "_tape", "others")

    def __init__(self, events: Sequence[Event], tape: Tape, others: Sequence[int]) -> None:
        self._events = events
        self._tape = tape
        self.others = others

    def encoding(self, path: Path) -> Encoding:
        """Return one attribute of all events, as `Event.attribute` does."""
        found = self._tape.encoding(self._entries(path))
        if not self.others:
            return found
        given = [self._events[number].attribute(path) for number in self.others]
        return _with_others(found, self.others, given)

    def places(self) -> Places:
        """Return the place of each event on the tape; points are created together."""
        entries = self._present(("place",))
        at = np.flatnonzero(entries >= 0)
        found: Places = np.full(len(entries), None, object)
        found[at] = points(self._tape.points(entries)[at])
        return found

    def _entries(self, path: Path) -> Ints:
        if path[0] != ENVELOPE:
            return self._tape.members(("data", *path))
        name = path[1]
        if name in _NOT_CONTEXT:
            return np.full(self._tape.size, -1, np.int32)
        found = self._present((name,))
        # without endtime an event ends when it starts
        return np.where(found < 0, self._present(("time",)), found) if name == "endtime" else found

    def _present(self, path: Path) -> Ints:
        """Return the entries of a member, -1 if it is null or absent."""
        found = self._tape.members(path)
        return np.where(self._tape.tape[found, TOKEN] == JsonToken.NULL, np.int32(-1), found)


def _with_others(found: Encoding, at: Sequence[int], values: Sequence[Any]) -> Encoding:
    """Return a column with some rows replaced."""
    rows = np.array(at, np.intp)
    more = encoding_of_values(values)
    kinds, numbers = found.kinds.copy(), found.numbers.copy()
    kinds[rows], numbers[rows] = more.kinds, more.numbers
    own = dict(zip(at, values, strict=True))

    def value(row: int) -> Any:
        return own[row] if row in own else found.value(row)

    def distinct(kind: Kind) -> Distinct:
        usual, further = found.distinct(kind), more.distinct(kind)
        entries, renumbered = number_values([*usual.values, *further.values])
        codes = usual.codes.copy()
        codes[rows] = np.where(further.codes < 0, -1, further.codes + len(usual.values))
        return Distinct(entries, np.append(renumbered, np.int32(-1))[codes])

    return Encoding(kinds, numbers, value, distinct)
