"""State of the compiled loops: buffered events, their buffers and rows, and room for more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tocsin.engine.columns.batch import EventBatch, partitions_of_batch
from tocsin.engine.detection.absence_after import DeadlineBuffer
from tocsin.engine.detection.batch import kernel
from tocsin.engine.detection.batch.compile import BatchProgram, table
from tocsin.engine.detection.batch.key_codes import KeyCodes
from tocsin.engine.detection.batch.layout import (
    ABSENCE_MEMBERS,
    ABSENCES,
    ALLOWED,
    ARM_DEADLINE,
    CONDITION_FIELDS,
    END,
    EVENT,
    EVENT_FIELDS,
    GROUP_FIELDS,
    HEAD,
    LATEST,
    LENGTH,
    LIFETIME,
    MEMBER_FIELDS,
    NEEDS_KEY,
    NEXT,
    NONE,
    OP_FIELDS,
    PAIR_FIELDS,
    PAIRS,
    PROBE,
    PROBED,
    PROBED_BITS,
    PROBED_COUNT,
    READERS,
    ROW_FIELDS,
    ROW_KEY,
    ROW_PLACE,
    ROWS,
    STATE_FIELDS,
    TAIL,
    TIMERS,
    UNAVAILABLE,
    WAITING,
    WAITS,
    count_words,
    from_words,
    to_words,
)
from tocsin.engine.index.encoding import is_uncertain
from tocsin.engine.index.kernels import Flags, Floats, Ints
from tocsin.events.event import Event
from tocsin.values.time import Instant

# rows that a new table has room for, so that small programs never grow theirs
_MIN_CAPACITY = 1024
# known keys that do not count as unused yet: a rebuild pays off only over many
_MIN_KEYS_TO_REBUILD = 65_536


class UnsupportedBatch(Exception):
    """Raised for a batch that needs the per-event path: numbers not exact as float64; repeated,
    unreadable or unordered events.
    """


class BatchTables:
    """Arrays of one program, and the events in them."""

    def __init__(self, program: BatchProgram) -> None:
        self.codes = KeyCodes()
        self.events: list[Event] = []
        self._program = program
        self._words = max((count_words(line.reader_mask) for line in program.lines), default=1)
        self._identities: set[tuple[str, str]] = set()
        self._times = np.zeros((_MIN_CAPACITY, EVENT_FIELDS), np.int64)
        self._keys = np.zeros((_MIN_CAPACITY, len(program.keys)), np.int64)
        self._numbers = np.zeros((_MIN_CAPACITY, len(program.numbers)))
        self._entries = _free_entries(
            np.zeros((_MIN_CAPACITY, UNAVAILABLE + self._words), np.int64), 0
        )
        self._rows = np.zeros((_MIN_CAPACITY, ROW_FIELDS), np.int64)
        self._extremes = np.zeros((_MIN_CAPACITY, len(program.numbers), 2))
        self._index = np.full((2 * _MIN_CAPACITY, 2), NONE, np.int64)
        self._state = np.zeros(STATE_FIELDS, np.int64)
        self._probed = table((), PROBED_BITS + self._words)
        self._lines = self._line_rows()
        self._timers = np.zeros((len(program.lines) + 1, 2), np.int64)
        # two atoms more, for those without ops: see `TablesAtWork._number_of`
        self._op_firsts = np.cumsum([0, *map(len, program.ops), 0, 0])
        self._ops = table((op for ops in program.ops for op in ops), OP_FIELDS)
        self._groups = table(program.group_rows, GROUP_FIELDS)
        self._members = table(program.member_rows, MEMBER_FIELDS)
        self._conditions = table(program.conditions, CONDITION_FIELDS)
        self._pairs = np.zeros((_MIN_CAPACITY, PAIR_FIELDS), np.int64)
        self._absences = np.zeros((_MIN_CAPACITY, ABSENCE_MEMBERS + self._words), np.int64)
        self._most_pairs = self._count_by_atom(PROBE)
        self._awaits = self._count_by_atom(ARM_DEADLINE)

    def _line_rows(self) -> Ints:
        """Return one row for each buffer, and set the tables of starts that cancel its absences."""
        places = {each: len(self._program.lines) + n for each, n in self._program.tables.items()}
        asked: list[tuple[int, ...]] = []
        rows = np.zeros((len(self._program.lines), READERS + self._words), np.int64)
        for row, line in zip(rows, self._program.lines, strict=True):
            row[[HEAD, TAIL, LIFETIME]] = NONE, NONE, line.lifetime
            row[READERS:] = to_words(line.reader_mask, self._words)
            row[[PROBED, ALLOWED, NEEDS_KEY]] = len(asked), _MIN_CAPACITY, NONE
            if isinstance(line, DeadlineBuffer):
                row[[NEEDS_KEY, PROBED_COUNT]] = line.has_key, len(line.watched)
                asked += (
                    (places[each], *to_words(bits, self._words))
                    for each, bits in line.watched.items()
                )
        self._probed = table(asked, PROBED_BITS + self._words)
        return rows

    def _count_by_atom(self, op: int) -> Ints:
        """Return the number of results, or of entries, that one occurrence of each atom can
        produce.
        """
        counts = [
            [self._groups[place][1] if op == PROBE else 1 for kind, place, *_ in ops if kind == op]
            for ops in self._program.ops
        ]
        return np.array([*map(sum, counts), 0, 0], np.int64)

    @property
    def waiting(self) -> int:
        """Number of entries in all buffers."""
        return int(self._lines[:, LENGTH].sum())

    @property
    def longest(self) -> int:
        """Number of entries in the longest buffer."""
        return int(self._lines[:, LENGTH].max(initial=0))

    @property
    def needs_rebuild(self) -> bool:
        """True if most of the known keys belong to nothing that is buffered, so that a rebuild
        saves memory.
        """
        known = max(int(self._state[ROWS]), len(self.codes.values))
        return known > 4 * self.waiting + _MIN_KEYS_TO_REBUILD

    def end_of(self, event: int) -> Instant:
        """Return the end of an event."""
        return int(self._times[event, END])

    def ends_of(self, events: Ints) -> Ints:
        """Return the ends of events."""
        ends: Ints = self._times[events, END]
        return ends

    def may_find(self, atoms: Ints) -> int:
        """Return the most pairs that occurrences of these atoms can complete."""
        return int(self._most_pairs[atoms].sum())

    def add(self, events: Sequence[Event], batch: EventBatch, newest: Instant) -> int:
        """Add the events of a batch, none of which may end before `newest`; return the number of
        the first. Raise Odd, and change nothing then.
        """
        intervals = [event.interval for event in events]
        times = table([(each.start, each.end, 0) for each in intervals if each is not None], 3)
        ends = np.append(newest, times[:, END])
        if (ends[1:] < ends[:-1]).any():
            raise UnsupportedBatch
        identities = {event.identity for event in events}
        if len(identities) < len(events) or not identities.isdisjoint(self._identities):
            raise UnsupportedBatch
        keys, numbers = self._columns(batch)
        base = self._make_room(len(events))
        rows = slice(base, base + len(events))
        self._times[rows] = times
        for column, codes in enumerate(keys):
            self._keys[rows, column] = codes
        for column, found in enumerate(numbers):
            self._numbers[rows, column] = found
        self.events += events
        self._identities |= identities
        return base

    def _columns(self, batch: EventBatch) -> tuple[list[Ints], list[Floats]]:
        """Return the keys and the numbers of a batch. Raise Odd if an event cannot be read: served
        alone, it is reported.
        """
        try:
            keys = [self.codes.column(paths, batch) for paths in self._program.keys]
            numbers = [batch.column(path).numbers for path in self._program.numbers]
        except Exception as error:
            raise UnsupportedBatch from error
        if any(is_uncertain(each).any() for each in numbers):
            raise UnsupportedBatch
        return keys, numbers

    def put(self, line: int, waiting: Sequence[tuple[int, int, int]]) -> None:
        """Load the entries of a buffer, oldest first: event, key, and mask of the readers to which
        it is unavailable.
        """
        self._make_way(len(waiting), len(waiting))
        kernel.put(
            self._lines,
            self._entries,
            self._rows,
            self._extremes,
            self._index,
            self._times,
            self._numbers,
            self._state,
            line,
            table(
                ((e, key, *to_words(gone, self._words)) for e, key, gone in waiting),
                2 + self._words,
            ),
        )

    def note_starts(self, place: int, starts: Sequence[tuple[int, Instant]]) -> None:
        """Load the last starts of an absent part, by key."""
        self._make_way(0, len(starts))
        kernel.note_starts(self._index, self._rows, self._state, place, table(starts, 2))

    def set_timers(self) -> None:
        """Arm the timers, once all buffers are loaded."""
        kernel.set_timers(
            self._lines,
            self._entries,
            self._rows,
            self._index,
            self._times,
            self._probed,
            self._timers,
            self._state,
        )

    def within(self, batch: EventBatch) -> Flags:
        """Return, for each event of a batch, flags for the shares that it is in, and one more that
        is always True. Raise Odd if an event cannot be read.
        """
        within = np.ones((batch.size, len(self._program.shares) + 1), bool)
        try:
            for column, share in enumerate(self._program.shares):
                within[:, column] = (
                    partitions_of_batch(batch, share.by, share.shares) == share.number
                )
        except Exception as error:
            raise UnsupportedBatch from error
        return within

    def detect(self, base: int, firsts: Ints, atoms: Ints, within: Flags) -> tuple[Ints, Ints]:
        """Return the pairs and the absences that the events from `base` on complete."""
        ops = int(np.diff(self._op_firsts)[atoms].sum())
        self._make_way(ops, ops)
        self._pairs = _large_enough(self._pairs, self.may_find(atoms))
        self._absences = _large_enough(
            self._absences, self.waiting + int(self._awaits[atoms].sum())
        )
        kernel.detect(
            base,
            firsts,
            atoms,
            within,
            self._op_firsts,
            self._ops,
            self._lines,
            self._entries,
            self._rows,
            self._extremes,
            self._index,
            self._times,
            self._keys,
            self._numbers,
            self._groups,
            self._members,
            self._conditions,
            self._probed,
            self._timers,
            self._state,
            self._pairs,
            self._absences,
        )
        return self._pairs[: self._state[PAIRS]], self._absences[: self._state[ABSENCES]]

    def absences_by(self, now: Instant) -> Ints:
        """Return the absences that are due by `now`."""
        self._state[ABSENCES] = 0
        self._absences = _large_enough(self._absences, self.waiting)
        kernel.emit_absences(
            self._lines,
            self._entries,
            self._rows,
            self._index,
            self._times,
            self._probed,
            self._timers,
            self._state,
            self._absences,
            now,
        )
        return self._absences[: self._state[ABSENCES]]

    def next_absence(self) -> Instant | None:
        """Return the soonest deadline of an absence that was not cancelled when last checked; None
        without any.
        """
        return int(self._timers[0, 0]) if self._state[TIMERS] else None

    def forget_before(self, now: Instant) -> None:
        """Drop entries that nothing which ends at `now` or later can complete."""
        kernel.forget_before(self._lines, self._entries, self._rows, self._times, self._state, now)

    def in_line(self, line: int) -> list[tuple[int, int, int]]:
        """Return the living entries of a buffer, oldest first, as `put` takes them."""
        listed = np.empty((self._lines[line, LENGTH], 2 + self._words), np.int64)
        count = kernel.list_line(self._lines, self._entries, line, listed)
        return [(event, key, from_words(gone)) for event, key, *gone in listed[:count].tolist()]

    def starts(self) -> Iterator[tuple[int, int, Instant]]:
        """Yield the place, the key and the instant of each last start of absent parts."""
        for row in self._rows[: self._state[ROWS]].tolist():
            if row[ROW_PLACE] >= len(self._program.lines):
                yield row[ROW_PLACE], row[ROW_KEY], row[LATEST]

    def extremes(self) -> Iterator[tuple[int, int, Any]]:
        """Yield the buffer, the key and the extremes of its numbers."""
        rows: Ints = self._rows[: self._state[ROWS]]
        held = np.flatnonzero(rows[:, WAITING] > 0)
        for row, extremes in zip(rows[held].tolist(), self._extremes[held].tolist(), strict=True):
            yield row[ROW_PLACE], row[ROW_KEY], extremes

    def _make_room(self, count: int) -> int:
        """Make room for `count` more events; return the number of the first of them."""
        if len(self.events) + count > len(self._times):
            self._drop_events()
            wanted = 2 * (len(self.events) + count)
            self._times = _large_enough(self._times, wanted)
            self._keys = _large_enough(self._keys, wanted)
            self._numbers = _large_enough(self._numbers, wanted)
        return len(self.events)

    def _drop_events(self) -> None:
        """Drop the events that no buffer holds, and renumber the others."""
        size = len(self.events)
        kept = np.flatnonzero(self._times[:size, WAITS] > 0)
        renumbered = np.zeros(size + 1, np.int64)
        renumbered[kept] = np.arange(len(kept))
        self._entries[:, EVENT] = renumbered[self._entries[:, EVENT]]
        for columns in (self._times, self._keys, self._numbers):
            columns[: len(kept)] = columns[kept]
        self.events = [self.events[number] for number in kept.tolist()]
        self._identities = {event.identity for event in self.events}

    def _make_way(self, entries: int, rows: int) -> None:
        """Make room for as many more entries and rows."""
        size = len(self._entries)
        if self.waiting + entries > size:
            self._entries = _large_enough(self._entries, 2 * (size + entries))
            _free_entries(self._entries, size)
        if self._state[ROWS] + rows > len(self._rows):
            wanted = 2 * (len(self._rows) + rows)
            self._rows = _large_enough(self._rows, wanted)
            self._extremes = _large_enough(self._extremes, wanted)
        if 2 * (self._state[ROWS] + rows) > len(self._index):
            self._index = np.full((_power_of_two(4 * len(self._rows)), 2), NONE, np.int64)
            kernel.reindex(self._index, self._rows, self._state)


def _free_entries(entries: Ints, begin: int) -> Ints:
    """Chain the entries from `begin` on as free; an older chain ends with the first of them."""
    entries[begin:, NEXT] = np.arange(begin + 1, len(entries) + 1)
    return entries


def _large_enough(given: Any, size: int) -> Any:
    """Return the table itself, or a copy with more rows."""
    if len(given) >= size:
        return given
    grown = np.zeros((size, *given.shape[1:]), given.dtype)
    grown[: len(given)] = given
    return grown


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()
