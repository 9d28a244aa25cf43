"""Events of scanned texts: in canonical order, each created on first access; and their columns.

A created event keeps its own text and nothing of the others. The columns of a batch have the values
of events of the strict reader, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, cast, overload

import numpy as np

from tocsin.engine.index.encoding import Distinct, Encoding, encoding_of_values, number_values
from tocsin.engine.index.kernels import Ints, Words
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS, EnvelopeColumns, concatenate_envelopes
from tocsin.engine.json_scan.envelopes import SPANNED, hash_identity
from tocsin.engine.json_scan.scanner import TOKEN, JsonToken
from tocsin.engine.json_scan.tape import MAX_BATCH_BYTES, Tape, tape_of
from tocsin.events.event import UNTIMED, Ends, Event, ScannedEvent, in_canonical_order
from tocsin.values.scalars import ENVELOPE, INSTANT, Kind, Path
from tocsin.values.space import Places, points

_SINGLES = 4
"""If 1/4 of the rows were accessed one by one, the rest is created together: half the time per
event.
"""


class _Store:
    """Rows and their events as far as they were accessed.

    A lock makes creation exclusive, so that a row has one event.
    """

    __slots__ = ("_lock", "_singles", "envelopes", "made")

    def __init__(self, envelopes: EnvelopeColumns, made: list[Event | None]) -> None:
        self.envelopes = envelopes
        self.made = made
        self._singles = 0
        self._lock = Lock()

    def event(self, row: int) -> Event:
        """Return the event of a row."""
        made = self.made[row]
        if made is not None:
            return made
        if self._singles * _SINGLES >= len(self.made):
            return self.events(np.arange(len(self.made)))[row]
        with self._lock:
            made = self.made[row]
            if made is None:
                self._singles += 1
                made = self.made[row] = self.envelopes.event(row)
        return made

    def events(self, rows: Ints) -> list[Event]:
        """Return the events of rows, which may repeat."""
        wanted = np.zeros(len(self.made), np.bool_)
        wanted[rows] = True
        made, chosen = self.made, np.flatnonzero(wanted)
        with self._lock:
            unmade = [row for row in chosen.tolist() if made[row] is None]
            new = self.envelopes.events(np.array(unmade, np.intp))
            for row, event in zip(unmade, new, strict=True):
                made[row] = event
        return list(map(cast("list[Event]", made).__getitem__, rows.tolist()))


class ScannedEvents(Sequence[Event]):
    """Some of the events of a store, as a sequence. Slices share the created events."""

    __slots__ = ("_rows", "_store")

    def __init__(self, store: _Store, rows: Ints) -> None:
        self._store = store
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Event: ...
    @overload
    def __getitem__(self, at: slice) -> ScannedEvents: ...
    def __getitem__(self, at: int | slice) -> Event | ScannedEvents:
        if isinstance(at, slice):
            return ScannedEvents(self._store, self._rows[at])
        return self._store.event(int(self._rows[at]))

    def __iter__(self) -> Iterator[Event]:
        return iter(self._store.events(self._rows))

    def __reduce__(self) -> tuple[object, ...]:
        return (list, (list(self),))

    def chosen(self, numbers: Ints) -> list[Event]:
        """Return the events with the numbers; missing ones are created together."""
        return self._store.events(self._rows[numbers])

    @property
    def ends(self) -> Ends:
        """End of each event; UNTIMED if it has no time."""
        ends: Ends = self._store.envelopes.times[self._rows, 1]
        return ends

    def measured_times(self, path: Path) -> list[int | None]:
        """Return a time of the envelope as numbers, as `Event.attribute` does."""
        instants = self._store.envelopes.times[self._rows, 0 if path[1] == "time" else 1]
        measured = (instants if path[2] == INSTANT else instants // 1000).tolist()
        untimed = np.flatnonzero(instants == UNTIMED).tolist()
        for number in untimed:
            measured[number] = None
        return cast("list[int | None]", measured)

    def texts(self) -> list[bytes]:
        """Return the text of each event; empty for one that was not scanned.

        For all rows in the original order it is the very same list.
        """
        texts = self._store.envelopes.texts
        rows = self._rows
        if len(rows) == len(texts) and (rows[1:] > rows[:-1]).all():
            return texts
        return list(map(texts.__getitem__, rows.tolist()))

    def count_made(self) -> int:
        """Return the number of events of the store that were created."""
        return len(self._store.made) - self._store.made.count(None)


def order_events(envelopes: Sequence[EnvelopeColumns], others: Sequence[Event]) -> Sequence[Event]:
    """Return the events of the plain rows, and others, as `in_canonical_order` does: each identity
    once.

    No event is created if hashes and times decide the order.
    """
    usual = [each.fast_rows() for each in envelopes]
    count = sum(map(len, usual))
    if count < MIN_TEXTS:
        made = (each for glance in usual for each in glance.events(np.arange(len(glance))))
        return in_canonical_order([*made, *others])
    glance = concatenate_envelopes([*usual, *([_envelopes_of(others)] if others else [])])
    store = _Store(glance, [*[None] * count, *others])
    if len(np.unique(glance.hashes)) < len(glance):  # most probably a repeated identity
        return in_canonical_order(store.events(np.arange(len(glance))))
    return ScannedEvents(store, _ordered(store))


def _ordered(store: _Store) -> Ints:
    """Return the rows by (end, start, source, id); the last two are read only for equal times."""
    starts, ends = store.envelopes.times.T
    if (ends[1:] > ends[:-1]).all():
        return np.arange(len(ends))
    rows = np.lexsort((starts, ends))
    starts, ends = starts[rows], ends[rows]
    cuts = np.flatnonzero((ends[1:] != ends[:-1]) | (starts[1:] != starts[:-1])) + 1
    firsts, lasts = np.append(0, cuts), np.append(cuts, len(rows))
    tied = lasts - firsts > 1
    store.events(rows[np.repeat(tied, lasts - firsts)])
    for first, last in zip(firsts[tied].tolist(), lasts[tied].tolist(), strict=True):
        rows[first:last] = sorted(rows[first:last].tolist(), key=lambda row: store.event(row).order)
    return rows


def _envelopes_of(events: Sequence[Event]) -> EnvelopeColumns:
    """Return rows for existing events: only their times and identity hashes."""
    size = len(events)
    intervals = [event.interval for event in events]
    times = [(UNTIMED, UNTIMED) if each is None else (each.start, each.end) for each in intervals]
    return EnvelopeColumns(
        [b""] * size,
        np.zeros(size, np.bool_),
        np.zeros((size, 2 * len(SPANNED)), np.int32),
        np.array(times, np.int64).reshape(size, 2),
        np.zeros(size, np.bool_),
        _hashes(events),
    )


def _hashes(events: Iterable[Event]) -> Words:
    return np.array([hash_identity(event.source, event.id) for event in events], np.uint64)


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
